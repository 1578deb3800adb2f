-- Where the call is that has this id.
SELECT started_ns, id
FROM {calls} AS calls
WHERE id = $named
ORDER BY started_ns
LIMIT 1
