-- Durations as counts in geometric buckets (5 % wide), so that quantiles over any range add up; see latency_bucket.
CREATE TABLE latency_hour (
    project VARCHAR NOT NULL,
    hour    INTEGER NOT NULL,
    tool    VARCHAR NOT NULL,
    bucket  INTEGER NOT NULL,
    calls   BIGINT NOT NULL
);
