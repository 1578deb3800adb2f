-- Calls by tool and release, then outcome and code as in `tools`; with the first and last start of each.
SELECT tool, release, outcome, coalesce(code, 'none') AS code, measured, CAST(count(*) AS BIGINT) AS calls,
    CAST(count(CASE WHEN list_contains(flags, 'budget_exhausted') THEN 1 END) AS BIGINT) AS budget_exhausted,
    CAST(count(CASE WHEN inferred THEN 1 END) AS BIGINT) AS inferred,
    min(started_ns) AS first_ns, max(started_ns) AS last_ns
FROM {calls} AS calls
GROUP BY tool, release, outcome, coalesce(code, 'none'), measured
ORDER BY tool, release, outcome, code, measured
