-- The last 500 calls of some tools, newest first, and which of them failed in one way.
WITH timely AS ({timely}),
mended AS ({mended}),
signals AS ({signals}),
failing AS (SELECT DISTINCT span_id, trace_id FROM signals WHERE signal = $signal),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY tool ORDER BY at_ns DESC, span_id) AS place
    FROM timely
    WHERE tool IN (SELECT UNNEST(CAST($tools AS VARCHAR[])))
)
SELECT ranked.tool, ranked.session, ranked.at_ns, failing.span_id IS NOT NULL AS failed
FROM ranked
LEFT JOIN failing ON failing.span_id = ranked.span_id AND failing.trace_id = ranked.trace_id
WHERE place <= 500
ORDER BY ranked.tool, place
