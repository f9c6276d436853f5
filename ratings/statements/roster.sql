-- Who was rostered by then, in the order in which columns number agents, and when they came and left.
SELECT key, kind = 'model', operator_affiliated, created_at, retired_at
FROM battles_agent WHERE created_at <= %(at)s ORDER BY key COLLATE "C"
