-- Tools, under their own names, that failed within the last hour: for the rules that need no baseline of their own.
WITH timely AS ({timely}),
mended AS ({mended}),
signals AS ({signals}),
settled AS (
    SELECT
        UNNEST(CAST($settled_scopes AS VARCHAR[])) AS tool,
        UNNEST(CAST($settled_signals AS VARCHAR[])) AS signal,
        UNNEST(CAST($settled_until AS BIGINT[])) AS until_ns
),
by_session AS (
    SELECT
        signals.tool,
        signals.signal,
        session,
        COUNT(*) FILTER (WHERE at_ns >= $to_ns - 600000000000) AS calls_600,
        COUNT(*) AS calls_3600,
        MIN(at_ns) FILTER (WHERE at_ns >= $to_ns - 600000000000) AS first_ns,
        MAX(at_ns) AS last_ns
    FROM signals
    LEFT JOIN settled ON settled.tool = signals.tool AND settled.signal = signals.signal
    WHERE at_ns > COALESCE(settled.until_ns, 0)
    GROUP BY signals.tool, signals.signal, session
),
hourly AS (SELECT tool, COUNT(*) AS calls FROM timely GROUP BY tool)
SELECT
    by_session.tool,
    by_session.signal,
    COUNT(*) FILTER (WHERE calls_600 > 0) AS sessions_600,
    MAX(calls_600) AS most_600,
    CAST(SUM(calls_600) AS BIGINT) AS failures_600,
    COUNT(*) AS sessions_3600,
    MIN(first_ns) AS first_ns,
    MAX(last_ns) AS last_ns,
    ANY_VALUE(hourly.calls) AS calls_3600
FROM by_session
JOIN hourly ON hourly.tool = by_session.tool
GROUP BY by_session.tool, by_session.signal
ORDER BY sessions_3600 DESC, by_session.tool
LIMIT 1000
