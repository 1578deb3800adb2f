-- Fragment over `timely`: one row per call and kind of failure that a rule watches. A silent failure is also counted
-- under its code. Budgets spent on codes that page by themselves or go to the digest are not counted again.
-- Recovered failures are left out of what is tested but stay in what is usual ($with_recovered): whether a failure of
-- the last minute recovers is not known yet. Where the envelope asks the agent to tell the user (INTERNAL,
-- PERMISSION_DENIED, a spent budget) only a later success of the tool in the session counts as recovery: being told
-- mends nothing.
SELECT failing.*, CASE
        WHEN code = 'INTERNAL' THEN 'internal'
        WHEN code = 'PERMISSION_DENIED' THEN 'denied'
        ELSE 'exhausted'
    END AS signal
FROM timely AS failing
LEFT JOIN mended ON mended.tool = failing.tool AND mended.session = failing.session
WHERE counts
    AND ($with_recovered OR NOT (recovered AND COALESCE(mended.ok_ns > at_ns, FALSE)))
    AND (
        code IN ('INTERNAL', 'PERMISSION_DENIED')
        OR (list_contains(flags, 'budget_exhausted') AND COALESCE(code, '') NOT IN ('INVALID_ARGUMENT', 'NOT_FOUND'))
    )
UNION ALL
SELECT *, 'silent' AS signal
FROM timely
WHERE counts AND outcome = 'silent_failure' AND ($with_recovered OR NOT recovered)
