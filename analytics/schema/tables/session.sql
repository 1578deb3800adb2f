-- One row per session that made at least one tool call; t0 and t1 bound its calls, received_* its spans' day tables.
-- A replay asks here first and then names literal ranges: 8 ms instead of 31 at ten million calls.
CREATE TABLE session (
    project          VARCHAR NOT NULL,
    session_id       VARCHAR NOT NULL,
    session_source   VARCHAR NOT NULL,   -- 'trace' where a trace stands in: session_id is then the trace's
    agent            VARCHAR,
    "user"           VARCHAR,
    service          VARCHAR,
    t0_ns            BIGINT NOT NULL,
    t1_ns            BIGINT NOT NULL,    -- end of the last call
    received_from_ns BIGINT NOT NULL,
    received_to_ns   BIGINT NOT NULL,
    calls            BIGINT NOT NULL,
    failures         BIGINT NOT NULL,
    silent           BIGINT NOT NULL,
    unrecovered      BIGINT NOT NULL,    -- failures not known to be recovered
    codes            VARCHAR[] NOT NULL,
    tools            VARCHAR[] NOT NULL,
    flags            VARCHAR[] NOT NULL,
    traces           BIGINT NOT NULL
);
