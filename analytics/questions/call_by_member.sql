-- The call that a span is a member of: the dear way, for spans that bear no verdict themselves.
SELECT *
FROM {calls} AS calls
WHERE list_contains(span_ids, $span_id)
ORDER BY started_ns
LIMIT 1
