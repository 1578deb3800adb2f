-- One incident.
SELECT *
FROM alert
WHERE id = $id
