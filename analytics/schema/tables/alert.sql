-- One row per incident, with the moments that the time to diagnose is made of. `numbers` holds every figure of the rule.
CREATE TABLE alert (
    id VARCHAR NOT NULL,
    rule VARCHAR NOT NULL,
    project VARCHAR NOT NULL,
    tool VARCHAR,
    code VARCHAR,
    severity VARCHAR NOT NULL,
    state VARCHAR NOT NULL,             -- firing, acknowledged, resolved
    first_failure_ns BIGINT,
    detected_ns BIGINT NOT NULL,
    notified_ns BIGINT,
    acknowledged_ns BIGINT,
    acknowledged_by VARCHAR,
    diagnosed_ns BIGINT,
    diagnosed_by VARCHAR,
    resolved_ns BIGINT,
    cause VARCHAR,
    numbers VARCHAR NOT NULL,           -- JSON object
    example_sessions VARCHAR[] NOT NULL,
    text VARCHAR NOT NULL
);
