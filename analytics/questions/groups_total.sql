-- How many groups there are, for a page that lies beyond the last one.
SELECT count(*) AS total
FROM (
    SELECT DISTINCT coalesce(fingerprint, concat_ws(' ', tool, code)) AS fingerprint, tool, code
    FROM {calls} AS calls
    WHERE outcome <> 'ok' AND NOT muted
) AS found
