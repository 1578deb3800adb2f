-- What people said of some incidents meanwhile, and whether they were reached.
SELECT id, state, notified_ns, acknowledged_ns, acknowledged_by, diagnosed_ns, diagnosed_by, cause
FROM alert
WHERE id IN (SELECT UNNEST(CAST($ids AS VARCHAR[])))
