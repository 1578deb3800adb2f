ALTER TABLE correction ADD COLUMN code VARCHAR;
ALTER TABLE correction ADD COLUMN undone_ns BIGINT;
ALTER TABLE correction ADD COLUMN undone_by VARCHAR;
ALTER TABLE correction ADD COLUMN undone_why VARCHAR;
