-- Traces that the judge could not read, the latest first.
SELECT trace_id, error, at_ns FROM judge_fault WHERE project = $project ORDER BY at_ns DESC LIMIT 100
