-- {counts}, whole hours
SELECT
    CAST(hour AS BIGINT) * 3600000000000 AS hour_ns,
    tool, outcome, code, payload, measured, inferred, muted, budget_exhausted, recovered, calls
FROM rollup_hour WHERE {where}
