-- {counts}, parts of an hour and filters that the rollup does not know: the same columns from the calls
SELECT
    CAST(started_ns // 3600000000000 AS INTEGER) AS hour,
    tool,
    outcome,
    coalesce(code, 'none') AS code,
    payload,
    measured,
    inferred,
    muted,
    list_contains(flags, 'budget_exhausted') AS budget_exhausted,
    CASE WHEN recovered THEN 'yes' WHEN recovered IS NULL THEN 'unknown' ELSE 'no' END AS recovered,
    CAST(count(*) AS BIGINT) AS calls
FROM call WHERE {where} GROUP BY ALL
