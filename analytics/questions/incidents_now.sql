-- How far some incidents have come by now: all calls of the tool since the incident began, and those that its rule is
-- about. $tools holds '' for an incident over all tools. A failure counts here whether or not it recovered, as in the
-- list of calls that the incident opens.
WITH watched AS (
    SELECT
        unnest(CAST($ids AS VARCHAR[])) AS id,
        unnest(CAST($rules AS VARCHAR[])) AS rule,
        unnest(CAST($tools AS VARCHAR[])) AS tool,
        unnest(CAST($since AS BIGINT[])) AS since_ns
),
seen AS (
    SELECT tool, outcome, code, flags, session_key, "user", started_ns
    FROM {calls} AS calls
),
matched AS (
    SELECT id, rule, seen.*
    FROM watched
    JOIN seen ON seen.tool = watched.tool AND seen.started_ns >= watched.since_ns
    WHERE watched.tool <> ''
    UNION ALL
    SELECT id, rule, seen.*
    FROM watched
    JOIN seen ON seen.started_ns >= watched.since_ns
    WHERE watched.tool = ''
),
judged AS (
    SELECT *, CASE rule
            WHEN 'internal_above_baseline' THEN outcome <> 'ok' AND coalesce(code, '') = 'INTERNAL'
            WHEN 'permission_denied' THEN outcome <> 'ok' AND coalesce(code, '') = 'PERMISSION_DENIED'
            WHEN 'budget_exhausted' THEN list_contains(flags, 'budget_exhausted')
            ELSE outcome = 'silent_failure'
        END AS failing
    FROM matched
)
SELECT
    id,
    count(*) AS calls,
    count(*) FILTER (failing) AS failing_calls,
    count(DISTINCT session_key) FILTER (failing) AS sessions,
    count(DISTINCT "user") FILTER (failing) AS users,
    max(started_ns) FILTER (failing) AS last_ns,
    count(*) FILTER (failing AND started_ns >= $now_ns - $window_ns) AS recent,
    count(*) FILTER (failing AND started_ns < $now_ns - $window_ns AND started_ns >= $now_ns - 2 * $window_ns) AS before
FROM judged
GROUP BY id
