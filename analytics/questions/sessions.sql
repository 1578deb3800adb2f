-- Sessions, newest first, from a position on ($before_ns, $before_id: the last row of the page before).
SELECT *
FROM {sessions} AS sessions
WHERE ($flagged = 0 OR failures > 0) AND ($unrecovered = 0 OR unrecovered > 0)
    AND (t0_ns < $before_ns OR (t0_ns = $before_ns AND session_id < $before_id))
ORDER BY t0_ns DESC, session_id DESC
LIMIT $limit
