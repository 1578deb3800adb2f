-- The first hour that holds a call.
SELECT MIN(hour) AS hour
FROM rollup_hour
WHERE hour > 0
