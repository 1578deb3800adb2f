-- Traces that the judge could not read: named, so that nobody believes that they were judged.
CREATE TABLE judge_fault (
    project  VARCHAR NOT NULL,
    trace_id VARCHAR NOT NULL,
    error    VARCHAR NOT NULL,   -- class of the exception, never its text
    at_ns    BIGINT NOT NULL
);
