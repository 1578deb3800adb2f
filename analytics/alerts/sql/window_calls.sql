-- Calls of each scope (a busy tool by itself, all others together as '') in the windows that the rules look at.
WITH timely AS ({timely})
SELECT
    CASE WHEN tool IN (SELECT UNNEST(CAST($busy AS VARCHAR[]))) THEN tool ELSE '' END AS scope,
    COUNT(*) FILTER (WHERE at_ns >= $to_ns - 300000000000) AS calls_300,
    COUNT(*) FILTER (WHERE at_ns >= $to_ns - 1800000000000) AS calls_1800,
    COUNT(*) FILTER (WHERE at_ns >= $to_ns - 3600000000000) AS calls_3600,
    COUNT(*) AS calls_21600,
    MAX(at_ns) AS last_ns
FROM timely
GROUP BY scope
