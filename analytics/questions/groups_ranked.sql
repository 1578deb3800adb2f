-- Which failures have their fingerprint (tool, code, normalised message or upstream) in common, the most frequent first,
-- and how many such groups there are. Only counts: `groups` says the rest of those that are shown.
SELECT
    coalesce(fingerprint, concat_ws(' ', tool, code)) AS fingerprint,
    tool,
    code,
    count(*) AS calls,
    max(started_ns) AS last_ns,
    count(*) OVER () AS total
FROM {calls} AS calls
WHERE outcome <> 'ok' AND NOT muted
GROUP BY coalesce(fingerprint, concat_ws(' ', tool, code)), tool, code
ORDER BY calls DESC, last_ns DESC, fingerprint, tool, code
LIMIT $limit OFFSET $offset
