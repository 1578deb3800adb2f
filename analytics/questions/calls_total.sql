-- How many calls match, before any limit.
SELECT count(*) AS total FROM {calls} AS calls
