-- Durations as counts in geometric buckets (2 % wide), so that quantiles over any range add up; see latency_bucket.
CREATE TABLE IF NOT EXISTS latency_hour (
    project VARCHAR NOT NULL,
    hour_ns BIGINT NOT NULL,
    tool    VARCHAR NOT NULL,
    bucket  INTEGER NOT NULL,
    calls   BIGINT NOT NULL
);
