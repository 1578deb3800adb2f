-- The call whose verdict stands on a span, or that has this id.
SELECT *
FROM {calls} AS calls
WHERE span_id = $span_id OR id = $span_id
ORDER BY started_ns
LIMIT 1
