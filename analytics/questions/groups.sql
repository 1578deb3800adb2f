-- All that is told of some groups of failures ($fingerprints, as `groups_ranked` names them; of each all tools and codes).
-- Texts are left out: `groups_last` brings those of the last call of each.
SELECT
    coalesce(fingerprint, concat_ws(' ', tool, code)) AS fingerprint,
    tool,
    code,
    max(upstream) AS upstream,
    count(*) AS calls,
    count(DISTINCT session_key) AS sessions,
    count(DISTINCT "user") AS users,
    count(DISTINCT agent) AS agents,
    count(CASE WHEN recovered THEN 1 END) AS recovered,
    count(CASE WHEN outcome = 'silent_failure' THEN 1 END) AS silent,
    count(CASE WHEN list_contains(rules, 'agent.went_on_after_stop')
        OR list_contains(rules, 'agent.retried_not_retryable')
        OR list_contains(rules, 'agent.ignored_retry_after') THEN 1 END) AS disobeyed,
    min(started_ns) AS first_ns,
    max(started_ns) AS last_ns,
    array_agg(DISTINCT release) AS releases
FROM {calls} AS calls
WHERE outcome <> 'ok' AND NOT muted
    AND coalesce(fingerprint, concat_ws(' ', tool, code)) IN (SELECT unnest($fingerprints))
GROUP BY 1, tool, code
