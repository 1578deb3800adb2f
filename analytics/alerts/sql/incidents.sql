-- Incidents of a project detected since a moment, newest first; state '' means any.
SELECT *
FROM alert
WHERE project = $project AND ($state = '' OR state = $state) AND detected_ns >= $since_ns
ORDER BY detected_ns DESC, id
