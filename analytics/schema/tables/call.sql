-- One row per logical tool call (analytics.calls.Call), replaced by the judge when its trace grows.
-- Rows lie in order of judging, so zone maps on started_ns and judged_seq prune; no index, no key (an ART index on a
-- growing table costs space and time: see ARCHITECTURE.md, storage).
CREATE TABLE call (
    id              VARCHAR NOT NULL,
    project         VARCHAR NOT NULL,
    trace_id        VARCHAR NOT NULL,
    span_id         VARCHAR NOT NULL,   -- the span that the verdict stands on
    span_ids        VARCHAR[] NOT NULL, -- all members; any of them resolves to this row
    tool            VARCHAR NOT NULL,
    started_ns      BIGINT NOT NULL,    -- as sent, held at the largest BIGINT beyond 2262
    duration_ms     DOUBLE NOT NULL,
    outcome         VARCHAR NOT NULL,
    declared        VARCHAR NOT NULL,
    confidence      VARCHAR NOT NULL,
    payload         VARCHAR NOT NULL,
    measured        BOOLEAN NOT NULL,   -- its compliance can be told: the payload is there, or an exception was raised
    session_id      VARCHAR,            -- NULL where the spans name none
    session_source  VARCHAR NOT NULL,
    session_key     VARCHAR NOT NULL,   -- the session, or the trace standing in for it
    agent           VARCHAR,
    "user"          VARCHAR,
    model           VARCHAR,
    service         VARCHAR,
    release         VARCHAR,
    call_id         VARCHAR,
    convention      VARCHAR NOT NULL,
    scope           VARCHAR NOT NULL,   -- instrumentation scope of that span: the sender's account
    code            VARCHAR,
    declared_code   VARCHAR,
    code_source     VARCHAR,
    flags           VARCHAR[] NOT NULL,
    contract_fields VARCHAR[] NOT NULL,
    rules           VARCHAR[] NOT NULL,
    evidence        VARCHAR NOT NULL,   -- JSON: [{rule, key | mark | span_id, value}]
    action          VARCHAR,
    retryable       BOOLEAN,
    retry_after_s   DOUBLE,
    error_message   VARCHAR,            -- what the model was told
    upstream        VARCHAR,
    fingerprint     VARCHAR,
    recovered       BOOLEAN,            -- NULL until known
    inferred        BOOLEAN NOT NULL,
    run_aborted     BOOLEAN NOT NULL,
    muted           BOOLEAN NOT NULL,
    arguments       VARCHAR,
    result          VARCHAR,
    arguments_hash  VARCHAR,
    result_hash     VARCHAR,
    lost            VARCHAR[] NOT NULL,
    received_ns     BIGINT NOT NULL,    -- when the span that the verdict stands on arrived
    rules_version   INTEGER NOT NULL,
    judged_seq      BIGINT NOT NULL,    -- last arrival of the trace when it was judged
    judged_ns       BIGINT NOT NULL,    -- when it was judged, ns since 1970 UTC
    digest          BIGINT NOT NULL,    -- of the verdict: an unchanged row is left alone when its trace is judged again
    turn            INTEGER             -- of the conversation, in its trace, from 1; 0: it shows none; NULL: before shape 2
);
