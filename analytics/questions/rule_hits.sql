-- How often each rule spoke, and how often it was muted.
SELECT rule, count(*) AS calls, count(CASE WHEN muted THEN 1 END) AS muted,
    count(CASE WHEN outcome = 'silent_failure' THEN 1 END) AS silent, max(started_ns) AS last_ns
FROM (SELECT unnest(rules) AS rule, muted, outcome, started_ns FROM {calls} AS calls) AS hits
GROUP BY rule
ORDER BY calls DESC, rule
