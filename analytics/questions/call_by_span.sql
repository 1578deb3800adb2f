-- The call that a span belongs to: any member's id resolves to it.
SELECT *
FROM {calls} AS calls
WHERE span_id = $span_id OR list_contains(span_ids, $span_id) OR id = $span_id
ORDER BY started_ns
LIMIT 1
