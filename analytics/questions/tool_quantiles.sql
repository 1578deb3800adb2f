-- Median and 95th percentile of each tool's durations as they were measured (nearest rank); reads and sorts the calls of the
-- range, so only for few of them.
SELECT
    tool,
    min(CASE WHEN place >= 0.5 * calls THEN duration_ms END) AS p50_ms,
    min(CASE WHEN place >= 0.95 * calls THEN duration_ms END) AS p95_ms
FROM (
    SELECT
        tool,
        duration_ms,
        row_number() OVER (PARTITION BY tool ORDER BY duration_ms) AS place,
        count(*) OVER (PARTITION BY tool) AS calls
    FROM {calls} AS calls
) AS ranked
GROUP BY tool
ORDER BY tool
