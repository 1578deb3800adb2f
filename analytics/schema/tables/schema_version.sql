-- One row per step that this file has gone through; the largest version is the file's.
CREATE TABLE schema_version (
    version INTEGER NOT NULL,
    reason VARCHAR NOT NULL,
    applied_ns BIGINT NOT NULL
);
