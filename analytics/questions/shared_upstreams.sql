-- Upstreams whose failure shows in the failures of several tools.
SELECT upstream, count(DISTINCT tool) AS tools
FROM {calls} AS calls
WHERE outcome <> 'ok' AND upstream IS NOT NULL
GROUP BY upstream
HAVING count(DISTINCT tool) > 1
ORDER BY tools DESC, upstream
