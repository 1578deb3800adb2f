-- Notices that are due, each destination's in order; none of a destination whose oldest notice waits for its next try.
SELECT id, destination, kind, project, rule, incidents, body, created_ns, attempts
FROM notice
WHERE delivered_ns IS NULL AND given_up_ns IS NULL AND destination NOT IN (
    SELECT destination FROM notice WHERE delivered_ns IS NULL AND given_up_ns IS NULL AND next_try_ns > $now_ns
)
ORDER BY destination, created_ns, kind DESC, id
