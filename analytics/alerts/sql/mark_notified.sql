-- People were reached about these incidents for the first time.
UPDATE alert SET notified_ns = $now_ns
WHERE notified_ns IS NULL AND id IN (SELECT UNNEST(CAST($incidents AS VARCHAR[])))
