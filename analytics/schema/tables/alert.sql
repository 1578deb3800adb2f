-- One row per incident, with the moments that the time to diagnose is made of. `numbers` holds every figure of the rule,
-- so that a person can compute it again.
CREATE TABLE alert (
    id                VARCHAR NOT NULL,
    dedupe_key        VARCHAR NOT NULL,   -- sha256 of rule, project, tool and the start of the episode
    rule              VARCHAR NOT NULL,
    project           VARCHAR NOT NULL,
    tool              VARCHAR,            -- NULL: the quiet tools together, or the project
    code              VARCHAR,
    severity          VARCHAR NOT NULL,   -- page, ticket
    state             VARCHAR NOT NULL,   -- firing, acknowledged, resolved
    first_failure_ns  BIGINT,
    detected_ns       BIGINT NOT NULL,
    last_met_ns       BIGINT NOT NULL,    -- when the rule was last met
    announced_ns      BIGINT,             -- when its notice went into the outbox
    notified_ns       BIGINT,             -- when the first notice was delivered
    acknowledged_ns   BIGINT,
    acknowledged_by   VARCHAR,
    diagnosed_ns      BIGINT,
    diagnosed_by      VARCHAR,
    resolved_ns       BIGINT,
    settled_ns        BIGINT,             -- when its resolved notice went into the outbox, or was not needed
    cause             VARCHAR,
    inhibited_by      VARCHAR,            -- id of the page that already tells of this tool
    numbers           VARCHAR NOT NULL,   -- JSON object
    example_sessions  VARCHAR[] NOT NULL,
    text              VARCHAR NOT NULL
);
