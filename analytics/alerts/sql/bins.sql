-- The past week of some scopes in bins of one length: calls, and distinct sessions that failed in one way.
WITH timely AS ({timely}),
mended AS ({mended}),
signals AS ({signals}),
calls AS (
    SELECT
        CASE WHEN tool IN (SELECT UNNEST(CAST($busy AS VARCHAR[]))) THEN tool ELSE '' END AS scope,
        at_ns - at_ns % $width_ns AS bin_ns,
        COUNT(*) AS calls
    FROM timely
    GROUP BY scope, bin_ns
),
failures AS (
    SELECT
        CASE WHEN tool IN (SELECT UNNEST(CAST($busy AS VARCHAR[]))) THEN tool ELSE '' END AS scope,
        at_ns - at_ns % $width_ns AS bin_ns,
        COUNT(DISTINCT session) AS sessions
    FROM signals
    WHERE signal = $signal
    GROUP BY scope, bin_ns
)
SELECT calls.scope, calls.bin_ns, calls.calls, COALESCE(failures.sessions, 0) AS sessions
FROM calls
LEFT JOIN failures ON failures.scope = calls.scope AND failures.bin_ns = calls.bin_ns
WHERE calls.scope IN (SELECT UNNEST(CAST($scopes AS VARCHAR[])))
ORDER BY calls.scope, calls.bin_ns
