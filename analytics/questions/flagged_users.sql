-- How many users met a failed call: from the sessions, of which there are ten times fewer than calls.
SELECT count(DISTINCT "user") AS users_failed
FROM {sessions} AS sessions
WHERE failures > 0
