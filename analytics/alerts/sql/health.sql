-- Destinations with notices waiting, the tries of the most tried one, and its last error.
SELECT
    destination,
    COUNT(*) AS waiting,
    CAST(MAX(attempts) AS BIGINT) AS attempts,
    ARG_MAX(last_error, attempts) AS last_error
FROM notice
WHERE delivered_ns IS NULL AND given_up_ns IS NULL
GROUP BY destination
ORDER BY destination
