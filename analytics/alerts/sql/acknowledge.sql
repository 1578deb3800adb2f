-- Somebody has seen an incident; the first word stays.
UPDATE alert SET
    acknowledged_ns = COALESCE(acknowledged_ns, $now_ns),
    acknowledged_by = COALESCE(acknowledged_by, $who),
    state = CASE WHEN state = 'firing' THEN 'acknowledged' ELSE state END
WHERE id = $id
