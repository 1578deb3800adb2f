-- The projects that anything was stored for, by name.
SELECT DISTINCT project FROM sender ORDER BY project LIMIT $limit
