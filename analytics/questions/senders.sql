-- The account of each sender, the busiest first.
SELECT * FROM sender WHERE project = $project ORDER BY spans DESC, service, scope, convention
