-- One incident.
SELECT * FROM alert WHERE project = $project AND id = $id
