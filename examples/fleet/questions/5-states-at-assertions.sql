-- The states that objects were in when assertions failed.
SELECT s.object, s.state, COUNT(*) AS assertions
FROM records a
JOIN states s ON s.recording = a.recording AND s.source = a.source
             AND s.begin_row <= a.row_no AND (s.end_row > a.row_no OR s.end_row IS NULL)
WHERE UPPER(a.kind) LIKE '%ASSERT%' AND s.certain
  AND NOT EXISTS (
      SELECT 1 FROM states later
      WHERE later.recording = s.recording AND later.source = s.source AND later.object = s.object
        AND later.begin_row > s.begin_row AND later.begin_row <= a.row_no
  )
GROUP BY s.object, s.state
ORDER BY assertions DESC, s.object, s.state
