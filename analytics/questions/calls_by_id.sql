-- Some calls by their ids; the range of their starts prunes.
SELECT id, error_message, outcome, span_id, session_key
FROM call
WHERE project = $project AND started_ns >= $first_ns AND started_ns <= $last_ns AND id IN (SELECT unnest($ids))
