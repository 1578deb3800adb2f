-- Fragment: the calls of one project in a time range, with the moment that alert windows go by. A clock that runs ahead
-- is held at the time of receipt; what arrived long after it ended is left out.
SELECT
    tool, trace_id, span_id, session_key AS session, "user", agent, outcome, code, code_source, declared_code, flags, error_message,
    COALESCE(recovered, FALSE) AS recovered,
    LEAST(started_ns, COALESCE(NULLIF(received_ns, 0), started_ns)) AS at_ns,
    outcome <> 'ok' AND NOT muted AND confidence <> 'suspected' AS counts
FROM call
WHERE project = $project
    AND started_ns >= $from_ns
    AND LEAST(started_ns, COALESCE(NULLIF(received_ns, 0), started_ns)) < $to_ns
    AND COALESCE(NULLIF(received_ns, 0), started_ns) - started_ns <= $late_ns + duration_ms * 1000000
