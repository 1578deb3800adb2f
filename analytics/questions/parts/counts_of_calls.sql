-- {counts}, parts of an hour and filters that the rollup does not know: the same columns from the calls, one row each: the
-- question adds them up, and what it does not ask for is not read. By remainder, which is exact in every engine, where a
-- division of integers is not.
SELECT
    started_ns - started_ns % 3600000000000 AS hour_ns,
    tool,
    outcome,
    coalesce(code, 'none') AS code,
    payload,
    measured,
    inferred,
    muted,
    list_contains(flags, 'budget_exhausted') AS budget_exhausted,
    CASE WHEN recovered THEN 'yes' WHEN recovered IS NULL THEN 'unknown' ELSE 'no' END AS recovered,
    CAST(1 AS BIGINT) AS calls
FROM call WHERE {where}
