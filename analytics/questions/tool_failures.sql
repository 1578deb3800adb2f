-- Per tool: how many sessions met a failure, and when the last one began; from the failed calls themselves, for filters
-- that `tool_session` does not know.
SELECT tool, count(DISTINCT session_key) AS sessions_failed, max(started_ns) AS last_failure_ns
FROM {calls} AS calls
WHERE outcome <> 'ok'
GROUP BY tool
ORDER BY tool
