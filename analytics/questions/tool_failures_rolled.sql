-- Per tool: how many sessions met a failure, and when the last one began. One row per session and tool: nothing distinct
-- has to be counted.
SELECT tool, count(*) AS sessions_failed, max(t1_ns) AS last_failure_ns
FROM {tool_sessions} AS tool_sessions
GROUP BY tool
ORDER BY tool
