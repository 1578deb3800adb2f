-- Whether a notice was ever put into the outbox.
SELECT id
FROM notice
WHERE id = $id
LIMIT 1
