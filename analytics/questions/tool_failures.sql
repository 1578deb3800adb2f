-- Per tool: how many sessions met a failure, and when the last one began. Distinct counts do not add up, so this one
-- reads the failed calls themselves.
SELECT tool, count(DISTINCT session_key) AS sessions_failed, max(started_ns) AS last_failure_ns
FROM {calls} AS calls
WHERE outcome <> 'ok'
GROUP BY tool
ORDER BY tool
