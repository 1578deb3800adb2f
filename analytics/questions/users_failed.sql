-- How many users met a failure. Apart from the other counts of sessions: with the condition in the WHERE clause only the
-- few failed sessions reach the distinct count (a third of the time).
SELECT count(DISTINCT "user") AS users_failed
FROM {sessions} AS sessions
WHERE failures > 0
