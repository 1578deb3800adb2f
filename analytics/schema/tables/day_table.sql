-- Which day tables exist, and what they reach: a question reads only those that its scope touches, retention drops
-- whole ones.
CREATE TABLE day_table (
    name VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,              -- span or log
    project VARCHAR NOT NULL,
    day INTEGER NOT NULL,               -- days since 1970 UTC of the time of receipt
    first_seq BIGINT NOT NULL
);
