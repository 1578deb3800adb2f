-- Tools (and the project, as '') that were called more than 20 times in this hour of the week a week ago, its first half
-- included, that were called within the past day, and are silent now: when their last call was.
WITH week_ago AS (
    SELECT tool, COUNT(*) AS calls, COUNT(*) FILTER (WHERE started_ns < $to_ns - 604800000000000) AS first_half
    FROM call
    WHERE project = $project
        AND started_ns >= $to_ns - 606600000000000
        AND started_ns < $to_ns - 603000000000000
    GROUP BY tool
),
past_day AS (
    SELECT tool, MAX(started_ns) AS last_ns
    FROM call
    WHERE project = $project AND started_ns >= $to_ns - 86400000000000 AND started_ns < $to_ns
    GROUP BY tool
)
SELECT week_ago.tool AS scope, calls, last_ns
FROM week_ago
JOIN past_day ON past_day.tool = week_ago.tool
WHERE calls > 20 AND first_half >= 5 AND last_ns < $to_ns - 1800000000000
UNION ALL
SELECT '' AS scope, CAST(SUM(calls) AS BIGINT) AS calls, MAX(last_ns) AS last_ns
FROM (SELECT SUM(calls) AS calls, SUM(first_half) AS first_half FROM week_ago)
CROSS JOIN (SELECT MAX(last_ns) AS last_ns FROM past_day)
WHERE calls > 120 AND first_half >= 60 AND last_ns < $to_ns - 600000000000
HAVING COUNT(*) > 0
ORDER BY scope
