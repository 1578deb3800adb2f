-- Steps of a backtest in which any call failed.
SELECT DISTINCT started_ns // $step_ns AS step
FROM call
WHERE started_ns >= $from_ns AND started_ns < $to_ns AND outcome <> 'ok'
ORDER BY step
