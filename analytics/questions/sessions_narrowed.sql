-- `sessions_total` and `users_failed` in one, for filters that look into a session's lists (tools, codes, flags) or calls:
-- that is what costs, so it is done once.
WITH met AS MATERIALIZED (SELECT failures, unrecovered, "user" FROM {sessions} AS sessions)
SELECT count(*) AS sessions,
    CAST(coalesce(sum(CASE WHEN failures > 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS sessions_failed,
    CAST(coalesce(sum(CASE WHEN unrecovered > 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS sessions_unrecovered,
    (SELECT count(DISTINCT "user") FROM met WHERE failures > 0) AS users_failed
FROM met
