-- Calls by tool and duration bucket: quantiles of any range, since counts add up and quantiles do not.
SELECT tool, bucket, CAST(sum(calls) AS BIGINT) AS calls
FROM {durations} AS durations
GROUP BY tool, bucket
HAVING sum(calls) > 0
ORDER BY tool, bucket
