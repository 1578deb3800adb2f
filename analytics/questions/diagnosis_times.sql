-- The moments of each incident, for the time that each part of a diagnosis took.
SELECT tool, code, first_failure_ns, detected_ns, notified_ns, acknowledged_ns, diagnosed_ns, resolved_ns, cause
FROM alert
WHERE project = $project AND detected_ns >= $detected_from_ns AND detected_ns < $detected_to_ns
ORDER BY detected_ns
