-- Fragment over `timely`: sessions with a failure known as recovered, and when each tool last succeeded in them.
SELECT tool, session, MAX(at_ns) AS ok_ns
FROM timely
WHERE outcome = 'ok' AND session IN (SELECT session FROM timely WHERE counts AND recovered)
GROUP BY tool, session
