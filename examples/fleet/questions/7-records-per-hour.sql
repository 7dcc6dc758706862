-- Records of each kind by hour, most first.
SELECT DATE_TRUNC('hour', host) AS hour, kind, COUNT(*) AS records
FROM records
WHERE host IS NOT NULL
GROUP BY DATE_TRUNC('hour', host), kind
ORDER BY records DESC, hour, kind
LIMIT 10
