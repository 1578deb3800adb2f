-- Calls by outcome over time in buckets shorter than an hour ($bucket_ns); reads the calls of a short range.
SELECT started_ns - started_ns % $bucket_ns AS bucket_ns, outcome, count(*) AS calls
FROM {calls} AS calls
GROUP BY bucket_ns, outcome
ORDER BY bucket_ns, outcome
