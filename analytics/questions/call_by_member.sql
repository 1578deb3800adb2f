-- Where the call is that a span is a member of: the dear way, for spans that bear no verdict themselves.
SELECT started_ns, id
FROM {calls} AS calls
WHERE list_contains(span_ids, $named)
ORDER BY started_ns
LIMIT 1
