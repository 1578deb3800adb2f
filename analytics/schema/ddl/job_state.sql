-- Where a job stands, e.g. the arrival number up to which traces were judged. Written with the rows it speaks of.
CREATE TABLE IF NOT EXISTS job_state (
    name  VARCHAR NOT NULL,
    value BIGINT NOT NULL
);
