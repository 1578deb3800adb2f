-- Calls per (project, hour, tool, outcome, code, payload, …): what 30-day questions read instead of ten million rows.
-- Counts only, so a re-judged trace is a difference: its old rows are subtracted, its new ones added, exactly.
CREATE TABLE rollup_hour (
    project          VARCHAR NOT NULL,
    hour             INTEGER NOT NULL,  -- hours since 1970 UTC of the call's start
    tool             VARCHAR NOT NULL,
    outcome          VARCHAR NOT NULL,
    code             VARCHAR NOT NULL,  -- 'none' where no code is known, so that keys compare without NULL
    payload          VARCHAR NOT NULL,
    measured         BOOLEAN NOT NULL,
    inferred         BOOLEAN NOT NULL,
    muted            BOOLEAN NOT NULL,
    budget_exhausted BOOLEAN NOT NULL,
    recovered        VARCHAR NOT NULL,  -- 'yes', 'no' or 'unknown'
    calls            BIGINT NOT NULL
);
