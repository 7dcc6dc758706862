-- Boards by records lost on the line, for each thousand received: what the target itself dropped is another question.
SELECT r.target, ROUND(1000.0 * SUM(COALESCE(l.lost, 0)) / SUM(r.records), 2) AS lost_per_thousand
FROM recordings r
LEFT JOIN (
    SELECT recording, SUM(lost) AS lost FROM losses WHERE lost IS NOT NULL AND COALESCE(cause, '') <> 'target' GROUP BY recording
) l ON l.recording = r.recording
GROUP BY r.target
ORDER BY lost_per_thousand DESC, r.target
LIMIT 5
