-- Traces that grew but wait for their next turn (a growing trace is judged at most every two seconds), or that a
-- correction or a re-judge asked for.
CREATE TABLE pending_trace (
    project  VARCHAR NOT NULL,
    trace_id VARCHAR NOT NULL
);
