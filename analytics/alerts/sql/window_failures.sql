-- Distinct failing sessions of each scope and signal in the same windows. What an incident that is over has told of is
-- not evidence again: each (scope, signal) counts from where its last incident ended.
WITH timely AS ({timely}),
mended AS ({mended}),
signals AS ({signals}),
scoped AS (
    SELECT *, CASE WHEN tool IN (SELECT UNNEST(CAST($busy AS VARCHAR[]))) THEN tool ELSE '' END AS scope
    FROM signals
),
settled AS (
    SELECT
        UNNEST(CAST($settled_scopes AS VARCHAR[])) AS scope,
        UNNEST(CAST($settled_signals AS VARCHAR[])) AS signal,
        UNNEST(CAST($settled_until AS BIGINT[])) AS until_ns
)
SELECT
    scoped.scope,
    scoped.signal,
    COUNT(DISTINCT session) FILTER (WHERE at_ns >= $to_ns - 300000000000) AS sessions_300,
    COUNT(DISTINCT session) FILTER (WHERE at_ns >= $to_ns - 1800000000000) AS sessions_1800,
    COUNT(DISTINCT session) FILTER (WHERE at_ns >= $to_ns - 3600000000000) AS sessions_3600,
    COUNT(DISTINCT session) AS sessions_21600
FROM scoped
LEFT JOIN settled ON settled.scope = scoped.scope AND settled.signal = scoped.signal
WHERE at_ns > COALESCE(settled.until_ns, 0)
GROUP BY scoped.scope, scoped.signal
