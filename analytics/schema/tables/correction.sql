-- What an engineer said of a verdict, applied after the judge to every call of the tool with the same rule and keys. Rows
-- stay: one that was taken back says by whom and why.
CREATE TABLE correction (
    id        VARCHAR NOT NULL,
    project   VARCHAR NOT NULL,
    tool      VARCHAR NOT NULL,
    rule      VARCHAR NOT NULL,   -- '' where the corrected verdict rested on no rule
    key_paths VARCHAR NOT NULL,   -- JSON list, sorted
    span_id   VARCHAR NOT NULL,   -- the call that was looked at
    judged    VARCHAR NOT NULL,   -- the outcome before the correction
    outcome   VARCHAR NOT NULL,   -- the outcome that is right
    who       VARCHAR NOT NULL,
    why       VARCHAR NOT NULL,
    created_ns BIGINT NOT NULL,
    code      VARCHAR,            -- the code that is right; NULL: the judge's stays
    undone_ns BIGINT,             -- when it was taken back; NULL while it is in force
    undone_by VARCHAR,
    undone_why VARCHAR
);
