-- What a notice shows of each finding of one signal: how many and who, three example sessions (latest first), the first
-- error text, and how many of the failures rest on a derived code only.
WITH timely AS ({timely}),
mended AS ({mended}),
signals AS ({signals}),
hits AS ({hits}),
ranked AS (
    SELECT scope, session, ROW_NUMBER() OVER (PARTITION BY scope ORDER BY MAX(at_ns) DESC, session) AS place
    FROM hits
    GROUP BY scope, session
),
examples AS (
    SELECT
        scope,
        COUNT(*) AS sessions,
        MAX(session) FILTER (WHERE place = 1) AS example_1,
        MAX(session) FILTER (WHERE place = 2) AS example_2,
        MAX(session) FILTER (WHERE place = 3) AS example_3
    FROM ranked
    GROUP BY scope
),
totals AS (
    SELECT
        scope,
        COUNT(*) AS failures,
        COUNT(DISTINCT "user") AS users,
        COUNT(DISTINCT agent) AS agents,
        COUNT(*) FILTER (WHERE COALESCE(code_source, '') <> 'declared' AND declared_code IS NULL) AS inferred,
        MIN(at_ns) AS first_ns,
        ARG_MIN(span_id, at_ns) AS first_span_id,
        ARG_MIN(error_message, at_ns) AS first_message,
        COUNT(DISTINCT tool) AS tools
    FROM hits
    GROUP BY scope
)
SELECT totals.*, examples.sessions, examples.example_1, examples.example_2, examples.example_3
FROM totals
JOIN examples ON examples.scope = totals.scope
