-- Where each job stands, written in the same transaction as the work it vouches for: `judge` = the last arrival number
-- judged, `journal` = the last arrival number that the span tables hold.
CREATE TABLE job_state (
    name VARCHAR NOT NULL,
    value BIGINT NOT NULL
);
