-- {calls}
SELECT * FROM call WHERE {where}
