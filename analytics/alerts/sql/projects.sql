-- Projects that had calls in the time that any rule looks back.
SELECT DISTINCT project
FROM rollup_hour
WHERE hour >= $from_hour
ORDER BY project
