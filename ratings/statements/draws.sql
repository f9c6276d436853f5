-- How many pairs were drawn for a board in each stretch of the roster's time, for people's tasks and for practice.
SELECT width_bucket(created_at, %(edges)s::timestamptz[]) AS stretch, (kind = 'practice')::int AS practice, count(*)
FROM battles_battle
WHERE created_at <= %(at)s AND (kind = 'live' OR (kind = 'practice' AND NOT %(headline)s))
GROUP BY stretch, practice
