-- Incidents of a project, newest first; $state '' means any, 'open' those that are not resolved.
SELECT *
FROM alert
WHERE project = $project AND ($state = '' OR state = $state OR ($state = 'open' AND state <> 'resolved'))
    AND detected_ns >= $detected_from_ns AND detected_ns < $detected_to_ns
ORDER BY detected_ns DESC, id DESC
LIMIT $limit
