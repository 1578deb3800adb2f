-- The last calls of some groups ($fingerprints; $lasts: when they started): their texts and where they lead. The range of
-- {calls} prunes.
SELECT coalesce(fingerprint, concat_ws(' ', tool, code)) AS fingerprint, tool, code, started_ns, id, error_message,
    outcome, span_id, session_key
FROM {calls} AS calls
WHERE outcome <> 'ok' AND NOT muted AND started_ns IN (SELECT unnest($lasts))
    AND coalesce(fingerprint, concat_ws(' ', tool, code)) IN (SELECT unnest($fingerprints))
ORDER BY started_ns, id
