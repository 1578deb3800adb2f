-- The oldest span or log record that no verdict covers: those that the judge has not reached (arrival numbers grow, so
-- zone maps leave only the newest rows to read), and those of traces that wait for another turn with more than they
-- were judged with. Few traces wait; a trace judged before $recent_ns counts as not judged at all.
WITH reached AS (SELECT coalesce(max(value), 0) AS seq FROM job_state WHERE name = 'judge'),
waiting AS (
    SELECT pending_trace.trace_id, coalesce(max(trace.judged_seq), 0) AS judged_seq
    FROM pending_trace
    LEFT JOIN trace
        ON trace.project = pending_trace.project AND trace.trace_id = pending_trace.trace_id
        AND trace.received_to_ns >= $recent_ns
    WHERE pending_trace.project = $project
    GROUP BY pending_trace.trace_id
),
arrived AS (
    SELECT trace_id, seq, received_ns FROM {span} AS spans
    UNION ALL
    SELECT trace_id, seq, received_ns FROM {log} AS logs WHERE trace_id <> ''
)
SELECT min(received_ns) AS oldest_ns
FROM (
    SELECT received_ns FROM arrived WHERE seq > (SELECT seq FROM reached)
    UNION ALL
    SELECT arrived.received_ns
    FROM arrived JOIN waiting USING (trace_id)
    WHERE arrived.seq > waiting.judged_seq AND arrived.seq > (SELECT min(judged_seq) FROM waiting)
) AS rows
