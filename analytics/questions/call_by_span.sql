-- Where the call is whose verdict stands on a span. Narrow on purpose: with all columns asked for, all are read.
SELECT started_ns, id
FROM {calls} AS calls
WHERE span_id = $named
ORDER BY started_ns
LIMIT 1
