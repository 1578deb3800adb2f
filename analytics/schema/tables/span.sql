-- The shape of a span table. Rows live in one table per project and day of receipt (`span_<project>_<yyyymmdd>`), made
-- like this one; this one stays empty and stands in where no day table exists. Names and order are those of
-- analytics.spans.Span. No key and no index: duplicates are removed by `content_key` while inserting.
CREATE TABLE span (
    project VARCHAR NOT NULL,
    trace_id VARCHAR NOT NULL,          -- lower-case hex
    span_id VARCHAR NOT NULL,
    parent_span_id VARCHAR NOT NULL,    -- '' for a root
    name VARCHAR NOT NULL,
    kind UTINYINT NOT NULL,
    start_ns BIGINT NOT NULL,           -- since 1970 UTC, as sent; beyond 2262 held at the largest BIGINT, see `out_of_range`
    end_ns BIGINT NOT NULL,
    status_code UTINYINT NOT NULL,
    status_message VARCHAR NOT NULL,
    attributes VARCHAR,                 -- JSON object; NULL when empty, as in every JSON column here
    events VARCHAR,                     -- JSON array of {name, time_ns, attributes}
    links VARCHAR,                      -- JSON array of {trace_id, span_id, attributes}
    resource VARCHAR,
    scope_name VARCHAR NOT NULL,
    scope_version VARCHAR NOT NULL,
    scope_attributes VARCHAR,
    schema_url VARCHAR NOT NULL,
    trace_state VARCHAR NOT NULL,
    flags UINTEGER NOT NULL,
    dropped_attributes UINTEGER NOT NULL,
    dropped_events UINTEGER NOT NULL,
    dropped_links UINTEGER NOT NULL,
    cut VARCHAR,                        -- JSON object: attribute cut at a cap -> its original length in characters
    out_of_range VARCHAR,               -- JSON object: time column -> the number sent, where it does not fit a BIGINT
    received_ns BIGINT NOT NULL,
    seq BIGINT NOT NULL,                -- arrival number, unique over spans and logs
    content_key BIGINT NOT NULL         -- hash of ids and content: equal for a row that was sent twice
);
