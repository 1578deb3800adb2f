-- When some tools, and the project as a whole (''), last had a call.
WITH timely AS ({timely})
SELECT tool AS scope, MAX(at_ns) AS last_ns
FROM timely
WHERE tool IN (SELECT UNNEST(CAST($tools AS VARCHAR[])))
GROUP BY tool
UNION ALL
SELECT '' AS scope, MAX(at_ns) AS last_ns
FROM timely
HAVING COUNT(*) > 0
