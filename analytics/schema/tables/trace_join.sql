-- Traces that hold two sides of one call (a client's and a server's that lost its parent): they are judged together.
CREATE TABLE trace_join (
    project    VARCHAR NOT NULL,
    trace_id   VARCHAR NOT NULL,  -- the trace of the inner side
    outer_id   VARCHAR NOT NULL   -- the trace whose call it is
);
