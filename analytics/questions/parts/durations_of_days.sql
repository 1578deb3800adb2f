-- {durations}, whole days
SELECT tool, bucket, calls FROM latency_day WHERE {where}
