-- The account of each sender: how much it sent in which convention, and what its spans lacked.
CREATE TABLE sender (
    project       VARCHAR NOT NULL,
    service       VARCHAR NOT NULL,
    scope         VARCHAR NOT NULL,
    convention    VARCHAR NOT NULL,  -- '' for spans that are no tool call
    spans         BIGINT NOT NULL,
    calls         BIGINT NOT NULL,
    first_seen_ns BIGINT NOT NULL,
    last_seen_ns  BIGINT NOT NULL,
    lost          VARCHAR NOT NULL   -- JSON: {what was missing, with the switch that captures it: calls}
);
