-- Calls by outcome over time in buckets of $hours whole hours.
SELECT CAST(hour - hour % $hours AS BIGINT) AS bucket_hour, outcome, CAST(sum(calls) AS BIGINT) AS calls
FROM {counts} AS counts
GROUP BY bucket_hour, outcome
HAVING sum(calls) > 0
ORDER BY bucket_hour, outcome
