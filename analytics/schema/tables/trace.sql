-- Which session a trace belongs to, and when it came: the traces of a replay, tool calls in them or not.
CREATE TABLE trace (
    project          VARCHAR NOT NULL,
    trace_id         VARCHAR NOT NULL,
    session_key      VARCHAR NOT NULL,
    t0_ns            BIGINT NOT NULL,
    t1_ns            BIGINT NOT NULL,
    received_from_ns BIGINT NOT NULL,
    received_to_ns   BIGINT NOT NULL,
    spans            BIGINT NOT NULL,
    calls            BIGINT NOT NULL,
    judged_seq       BIGINT NOT NULL
);
