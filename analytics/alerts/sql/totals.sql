-- Calls of each tool in the baseline's hours, and how many failed in each way that a rule watches.
SELECT
    tool,
    CAST(SUM(calls) AS BIGINT) AS calls,
    CAST(COALESCE(SUM(calls) FILTER (WHERE outcome <> 'ok' AND code = 'INTERNAL'), 0) AS BIGINT) AS internal,
    CAST(COALESCE(SUM(calls) FILTER (WHERE outcome <> 'ok' AND code = 'PERMISSION_DENIED'), 0) AS BIGINT) AS denied,
    CAST(COALESCE(SUM(calls) FILTER (WHERE budget_exhausted), 0) AS BIGINT) AS exhausted,
    CAST(COALESCE(SUM(calls) FILTER (WHERE outcome = 'silent_failure'), 0) AS BIGINT) AS silent
FROM rollup_hour
WHERE project = $project AND hour >= $from_hour AND hour < $to_hour
GROUP BY tool
ORDER BY calls DESC
LIMIT 10000
