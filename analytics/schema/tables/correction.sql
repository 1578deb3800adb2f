-- What an engineer said of a verdict, applied after the judge to every call of the tool with the same rule and keys.
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
    created_ns BIGINT NOT NULL
);
