-- When, over the past week, these tools failed in one way: five-minute bins that hold any.
WITH timely AS ({timely}),
mended AS ({mended}),
signals AS ({signals})
SELECT tool, at_ns - at_ns % 300000000000 AS bin_ns, COUNT(*) AS failures
FROM signals
WHERE signal = $signal AND tool IN (SELECT UNNEST(CAST($tools AS VARCHAR[])))
GROUP BY tool, bin_ns
ORDER BY tool, bin_ns
