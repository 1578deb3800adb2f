-- Calls by tool, outcome and code: the Tools page folds these into one row per tool, the Overview into its tiles.
SELECT tool, outcome, code, measured, CAST(sum(calls) AS BIGINT) AS calls,
    CAST(sum(CASE WHEN budget_exhausted THEN calls ELSE 0 END) AS BIGINT) AS budget_exhausted,
    CAST(sum(CASE WHEN inferred THEN calls ELSE 0 END) AS BIGINT) AS inferred
FROM {counts} AS counts
GROUP BY tool, outcome, code, measured
HAVING sum(calls) > 0
ORDER BY tool, outcome, code, measured
