-- How many sessions, how many of them held a failure, and in how many a failure is not known to be recovered.
SELECT count(*) AS sessions,
    CAST(coalesce(sum(CASE WHEN failures > 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS sessions_failed,
    CAST(coalesce(sum(CASE WHEN unrecovered > 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS sessions_unrecovered
FROM {sessions} AS sessions
WHERE ($flagged = 0 OR failures > 0) AND ($unrecovered = 0 OR unrecovered > 0)
