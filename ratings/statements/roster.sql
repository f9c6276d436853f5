-- Who was rostered by then, and when they came and left. The operator's own are not drawn, as if they had left.
SELECT key, kind = 'model', created_at, least(retired_at, affiliated_from)
FROM battles_agent WHERE created_at <= %(at)s ORDER BY key COLLATE "C"
