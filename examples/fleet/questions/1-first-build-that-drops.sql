-- The first build that dropped records, and how many.
SELECT build, CAST(SUM(dropped) AS BIGINT) AS dropped, COUNT(DISTINCT target) AS boards
FROM recordings
WHERE dropped > 0
GROUP BY build
ORDER BY MIN(first_host)
LIMIT 1
