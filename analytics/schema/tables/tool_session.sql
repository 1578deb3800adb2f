-- Which tools failed in which sessions: distinct sessions per tool without a look at ten million calls.
CREATE TABLE tool_session (
    project    VARCHAR NOT NULL,
    session_id VARCHAR NOT NULL,  -- as in `session`
    tool       VARCHAR NOT NULL,
    failures   BIGINT NOT NULL,
    t0_ns      BIGINT NOT NULL,   -- start of the first failed call
    t1_ns      BIGINT NOT NULL    -- start of the last one
);
