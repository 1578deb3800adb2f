-- Calls by outcome and by whether compliance can be told of them; everything that the Overview's tiles count.
-- Sums are cast: sum(BIGINT) makes a 128-bit column, ten times as slow.
SELECT outcome, measured, CAST(sum(calls) AS BIGINT) AS calls,
    CAST(sum(CASE WHEN budget_exhausted THEN calls ELSE 0 END) AS BIGINT) AS budget_exhausted,
    CAST(sum(CASE WHEN inferred AND code = 'INTERNAL' AND outcome <> 'ok' THEN calls ELSE 0 END) AS BIGINT) AS inferred_internal
FROM {counts} AS counts
GROUP BY outcome, measured
HAVING sum(calls) > 0
ORDER BY outcome, measured
