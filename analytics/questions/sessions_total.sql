-- How many sessions, how many of them held a failure, in how many a failure is not known to be recovered, and how many
-- users met one: from the sessions, of which there are far fewer than calls.
SELECT count(*) AS sessions,
    count(CASE WHEN failures > 0 THEN 1 END) AS sessions_failed,
    count(CASE WHEN unrecovered > 0 THEN 1 END) AS sessions_unrecovered,
    count(DISTINCT CASE WHEN failures > 0 THEN "user" END) AS users_failed
FROM {sessions} AS sessions
WHERE ($flagged = 0 OR failures > 0) AND ($unrecovered = 0 OR unrecovered > 0)
