-- The silent failures of some scopes, each from its own moment on, by their code: of which of them does another incident
-- tell already?
WITH timely AS ({timely}),
mended AS ({mended}),
signals AS ({signals}),
found AS (
    SELECT
        UNNEST(CAST($scopes AS VARCHAR[])) AS scope,
        UNNEST(CAST($since AS BIGINT[])) AS since_ns
)
SELECT
    found.scope,
    COALESCE(signals.code, '') AS code,
    COUNT(*) AS calls,
    COUNT(DISTINCT signals.session) AS sessions
FROM signals
JOIN found ON found.scope = CASE
    WHEN signals.tool IN (SELECT UNNEST(CAST($own AS VARCHAR[]))) THEN signals.tool ELSE ''
END
WHERE signals.signal = 'silent' AND signals.at_ns >= found.since_ns
GROUP BY found.scope, COALESCE(signals.code, '')
ORDER BY found.scope, calls DESC, code
