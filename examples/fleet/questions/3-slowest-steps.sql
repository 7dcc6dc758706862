-- The slowest dispatch of each object, with the build and where it was.
SELECT object, length_ns, build, recording, begin_row
FROM (
    SELECT /*+ BROADCAST(r) */ s.object, s.length_ns, r.build, s.recording, s.begin_row,
           ROW_NUMBER() OVER (PARTITION BY s.object ORDER BY s.length_ns DESC, s.recording, s.begin_row) AS place
    FROM spans s JOIN recordings r ON r.recording = s.recording
    WHERE s.measure = 'step' AND s.certain AND s.end_row IS NOT NULL AND s.length_ns IS NOT NULL
) steps
WHERE place = 1
ORDER BY length_ns DESC, object
