-- {sessions}
SELECT * FROM session WHERE {where}
