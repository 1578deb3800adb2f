-- Fragment over `signals`: the failures of one signal in some scopes ($own are scopes of one tool, all other tools are ''),
-- each from its own moment on.
SELECT found.scope, signals.*
FROM signals
JOIN (
    SELECT
        UNNEST(CAST($scopes AS VARCHAR[])) AS scope,
        UNNEST(CAST($since AS BIGINT[])) AS since_ns
) AS found ON found.scope = CASE
    WHEN signals.tool IN (SELECT UNNEST(CAST($own AS VARCHAR[]))) THEN signals.tool ELSE ''
END
WHERE signal = $signal AND at_ns >= found.since_ns
