-- The shape of a log table (`log_<project>_<yyyymmdd>`); see span.sql. Names and order are those of LogRecord.
CREATE TABLE log (
    project VARCHAR NOT NULL,
    trace_id VARCHAR NOT NULL,          -- '' where the record has none
    span_id VARCHAR NOT NULL,
    event_name VARCHAR NOT NULL,
    time_ns BIGINT NOT NULL,
    severity INTEGER NOT NULL,
    body VARCHAR,                       -- JSON value
    attributes VARCHAR,
    resource VARCHAR,
    scope_name VARCHAR NOT NULL,
    scope_version VARCHAR NOT NULL,
    dropped_attributes UINTEGER NOT NULL,
    cut VARCHAR,
    out_of_range VARCHAR,
    received_ns BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    content_key BIGINT NOT NULL
);
