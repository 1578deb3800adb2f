-- A destination did not take a notice; when to try again, or that nobody will.
UPDATE notice
SET attempts = $attempts, next_try_ns = $next_try_ns, given_up_ns = CAST($given_up_ns AS BIGINT), last_error = $last_error
WHERE id = $id AND destination = $destination
