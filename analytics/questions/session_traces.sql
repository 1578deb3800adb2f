-- The traces of a session, the newest first; rows of `trace` lie in order of arrival, so a time bound prunes.
SELECT trace_id, received_from_ns, received_to_ns
FROM trace
WHERE project = $project AND session_key = $session_id AND t1_ns >= $from_ns
ORDER BY t0_ns DESC
LIMIT $limit
