-- The states that objects were in when assertions failed.
WITH assertions AS (
    SELECT recording, source, row_no FROM records WHERE UPPER(kind) LIKE '%ASSERT%'
), entered AS (
    SELECT /*+ BROADCAST(a) */ a.recording, a.source, a.row_no, s.object, s.state, s.certain, s.begin_row, s.end_row,
           MAX(s.begin_row) OVER (PARTITION BY a.recording, a.source, a.row_no, s.object) AS last_row
    FROM assertions a JOIN states s ON s.recording = a.recording AND s.source = a.source AND s.begin_row <= a.row_no
)
SELECT object, state, COUNT(*) AS assertions
FROM entered
WHERE begin_row = last_row AND certain AND (end_row > row_no OR end_row IS NULL)
GROUP BY object, state
ORDER BY assertions DESC, object, state
