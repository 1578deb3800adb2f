-- Rows of incidents that are about to be written anew.
DELETE FROM alert
WHERE id IN (SELECT UNNEST(CAST($ids AS VARCHAR[])))
