-- The oldest span that the judge has not reached; arrival numbers grow, so zone maps leave only the newest rows to read.
SELECT min(received_ns) AS oldest_ns
FROM {span} AS spans
WHERE seq > (SELECT coalesce(max(value), 0) FROM job_state WHERE name = 'judge')
