-- {durations}, whole hours
SELECT tool, bucket, calls FROM latency_hour WHERE {where}
