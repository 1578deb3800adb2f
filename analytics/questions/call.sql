-- One call; its start leaves one stretch of the table to be read.
SELECT * FROM call WHERE project = $project AND started_ns = $started_ns AND id = $id LIMIT 1
