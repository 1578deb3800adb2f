-- How often each rule spoke, and how often it was muted. A flag's rule spoke wherever the flag was raised.
SELECT rule, count(*) AS calls, count(CASE WHEN muted THEN 1 END) AS muted,
    count(CASE WHEN outcome = 'silent_failure' THEN 1 END) AS silent, max(started_ns) AS last_ns
FROM (
    SELECT rule, muted, outcome, started_ns
    FROM (SELECT unnest(rules) AS rule, muted, outcome, started_ns FROM {calls} AS calls) AS spoken
    WHERE rule NOT LIKE 'flag.%'
    UNION ALL
    SELECT concat('flag.', flag) AS rule, muted, outcome, started_ns
    FROM (SELECT unnest(flags) AS flag, muted, outcome, started_ns FROM {calls} AS calls) AS raised
) AS hits
GROUP BY rule
ORDER BY calls DESC, rule
