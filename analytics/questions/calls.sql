-- Judged calls, newest first, from a position on ($before_ns, $before_id: the last row of the page before).
SELECT *
FROM {calls} AS calls
WHERE started_ns < $before_ns OR (started_ns = $before_ns AND id < $before_id)
ORDER BY started_ns DESC, id DESC
LIMIT $limit
