-- How many groups there are.
SELECT count(DISTINCT coalesce(fingerprint, concat_ws(' ', tool, code))) AS total
FROM {calls} AS calls
WHERE outcome <> 'ok' AND NOT muted
