-- Incidents that are open, not yet told as over, or recent enough that their time is left out of what is usual.
SELECT *
FROM alert
WHERE state <> 'resolved' OR settled_ns IS NULL OR resolved_ns >= $since_ns
ORDER BY detected_ns, id
