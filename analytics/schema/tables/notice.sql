-- The outbox of alerts: one row per notice and destination, kept until delivered, so that a restart loses and repeats
-- nothing.
CREATE TABLE notice (
    id            VARCHAR NOT NULL,       -- of the notice; the same for each destination
    destination   VARCHAR NOT NULL,       -- name of the notifier
    kind          VARCHAR NOT NULL,       -- firing, resolved, test
    project       VARCHAR NOT NULL,
    rule          VARCHAR NOT NULL,
    incidents     VARCHAR[] NOT NULL,     -- alert ids that it tells of
    body          VARCHAR NOT NULL,       -- JSON, as it leaves
    created_ns    BIGINT NOT NULL,
    next_try_ns   BIGINT NOT NULL,
    attempts      INTEGER NOT NULL,
    delivered_ns  BIGINT,
    given_up_ns   BIGINT,
    last_error    VARCHAR
);
