-- Calls by outcome over time in buckets of whole hours ($bucket_ns).
SELECT hour_ns - hour_ns % $bucket_ns AS bucket_ns, outcome, CAST(sum(calls) AS BIGINT) AS calls
FROM {counts} AS counts
GROUP BY bucket_ns, outcome
HAVING sum(calls) > 0
ORDER BY bucket_ns, outcome
