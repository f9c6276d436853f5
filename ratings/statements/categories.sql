-- Categories of tasks by then, in the order in which columns number them.
SELECT category FROM (SELECT DISTINCT category FROM battles_task WHERE created_at <= %(at)s) AS every
ORDER BY category COLLATE "C"
