-- Queues and pools that came nearest to full, by free elements, and in how many recordings.
WITH free AS (
    SELECT recording, object, CASE WHEN measure = 'free' THEN value ELSE capacity - value END AS free
    FROM levels
    WHERE measure = 'free' OR measure = 'used' AND capacity IS NOT NULL
), least AS (
    SELECT recording, object, MIN(free) AS free FROM free GROUP BY recording, object
)
SELECT object, MIN(free) AS least_free, COUNT(*) AS recordings
FROM least
GROUP BY object
ORDER BY least_free, recordings DESC, object
LIMIT 10
