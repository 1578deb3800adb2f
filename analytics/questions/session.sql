-- One session.
SELECT * FROM session WHERE project = $project AND session_id = $session_id LIMIT 1
