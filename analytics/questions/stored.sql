-- What the store holds of a project, from the senders' account and the rollup: no span table is touched.
SELECT
    (SELECT CAST(coalesce(sum(spans), 0) AS BIGINT) FROM sender WHERE project = $project) AS spans,
    (SELECT CAST(coalesce(sum(calls), 0) AS BIGINT) FROM rollup_hour WHERE project = $project) AS calls,
    (SELECT max(last_seen_ns) FROM sender WHERE project = $project) AS last_received_ns,
    (SELECT max(value) FROM job_state WHERE name = 'judged_at_ns') AS last_judged_ns
