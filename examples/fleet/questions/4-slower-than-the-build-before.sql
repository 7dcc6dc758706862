-- Objects whose response took longer than with the build before, by the 99th percentile: the greatest factors first.
WITH figures AS (
    SELECT /*+ BROADCAST(r) */ r.build, s.object, MIN(r.first_host) AS since,
           percentile_cont(0.99) WITHIN GROUP (ORDER BY s.length_ns) AS p99
    FROM spans s JOIN recordings r ON r.recording = s.recording
    WHERE s.measure = 'response' AND s.certain AND s.end_row IS NOT NULL AND s.length_ns IS NOT NULL
    GROUP BY r.build, s.object
), pairs AS (
    SELECT build, object, p99, LAG(p99) OVER (PARTITION BY object ORDER BY since) AS before
    FROM figures
)
SELECT build, object, ROUND(before / 1000) AS before_us, ROUND(p99 / 1000) AS p99_us
FROM pairs
WHERE before > 0 AND p99 > 2 * before
ORDER BY p99 / before DESC, build, object
LIMIT 10
