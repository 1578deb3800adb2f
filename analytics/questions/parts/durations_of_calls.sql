-- {durations}, parts of a day, one row a call; the bucket is analytics.questions.relations.bucket_of
SELECT
    tool,
    CASE WHEN duration_ms <= 0.01 THEN 0 ELSE CAST(ceil(ln(duration_ms / 0.01) / ln(1.1)) AS INTEGER) END AS bucket,
    CAST(1 AS BIGINT) AS calls
FROM call WHERE {where}
