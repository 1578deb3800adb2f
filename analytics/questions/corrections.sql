-- What engineers said of verdicts, the latest first.
SELECT * FROM correction WHERE project = $project ORDER BY created_ns DESC, id LIMIT $limit
