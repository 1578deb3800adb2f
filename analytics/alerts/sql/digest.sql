-- Failures of a day that page nobody by themselves, by tool and code, the most frequent first.
SELECT tool, COALESCE(code, 'none') AS code, COUNT(*) AS calls, COUNT(DISTINCT session_key) AS sessions
FROM call
WHERE project = $project
    AND started_ns >= $from_ns
    AND started_ns < $to_ns
    AND outcome <> 'ok'
    AND NOT muted
    AND COALESCE(code, '') NOT IN ('INTERNAL', 'PERMISSION_DENIED')
GROUP BY tool, code
ORDER BY calls DESC, tool, code
LIMIT 50
