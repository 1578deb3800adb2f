-- Durations as counts in geometric buckets (10 % wide), so that quantiles over any range add up; see bucket_of. Per day:
-- per hour it is twenty times the rows for the same quantiles over weeks, and hours come from the calls themselves.
CREATE TABLE latency_day (
    project VARCHAR NOT NULL,
    day     INTEGER NOT NULL,  -- days since 1970 UTC of the call's start
    tool    VARCHAR NOT NULL,
    bucket  INTEGER NOT NULL,
    calls   BIGINT NOT NULL
);
