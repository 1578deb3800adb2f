-- Failures by tool, code and outcome; code 'none' where none is known.
SELECT tool, code, outcome, CAST(sum(calls) AS BIGINT) AS calls
FROM {counts} AS counts
WHERE outcome <> 'ok'
GROUP BY tool, code, outcome
HAVING sum(calls) > 0
ORDER BY calls DESC, tool, code, outcome
