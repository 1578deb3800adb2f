-- {counts}, whole hours
SELECT hour, tool, outcome, code, payload, measured, inferred, muted, budget_exhausted, recovered, calls
FROM rollup_hour WHERE {where}
