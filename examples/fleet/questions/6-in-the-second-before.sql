-- What came in the second before each assertion: kinds and objects by number, and whether records are missing there.
SELECT /*+ BROADCAST(a, l) */ r.kind, COALESCE(r.object, '') AS object, COUNT(*) AS times, COUNT(DISTINCT a.recording) AS recordings,
       CAST(SUM(CASE WHEN l.recording IS NULL THEN 0 ELSE 1 END) AS BIGINT) AS behind_a_loss
FROM records a
JOIN records r ON r.recording = a.recording AND r.source = a.source AND r.epoch = a.epoch
              AND r.row_no < a.row_no AND r.ns BETWEEN a.ns - 1000000000 AND a.ns
LEFT JOIN (SELECT recording, epoch, MAX(row_no) AS row_no FROM losses WHERE lost > 0 GROUP BY recording, epoch) l
       ON l.recording = a.recording AND l.epoch = a.epoch AND l.row_no BETWEEN r.row_no AND a.row_no
WHERE UPPER(a.kind) LIKE '%ASSERT%'
GROUP BY r.kind, COALESCE(r.object, '')
ORDER BY times DESC, r.kind, object
LIMIT 10
