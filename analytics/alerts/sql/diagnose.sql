-- Somebody knows the cause; the time is that of the first diagnosis, the cause the latest. A diagnosis acknowledges too.
UPDATE alert SET
    diagnosed_ns = COALESCE(diagnosed_ns, $now_ns),
    diagnosed_by = $who,
    cause = $cause,
    acknowledged_ns = COALESCE(acknowledged_ns, $now_ns),
    acknowledged_by = COALESCE(acknowledged_by, $who),
    state = CASE WHEN state = 'firing' THEN 'acknowledged' ELSE state END
WHERE id = $id
