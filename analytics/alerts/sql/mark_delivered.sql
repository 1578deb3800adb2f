-- A destination has a notice.
UPDATE notice SET delivered_ns = $now_ns, attempts = attempts + 1, last_error = NULL
WHERE id = $id AND destination = $destination
