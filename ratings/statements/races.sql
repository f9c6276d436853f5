-- Parts that both statements begin with: who was rostered by then, and what of a finished race keeps a label from rating.
roster AS (
    SELECT key, kind, operator_affiliated, created_at, retired_at,
           row_number() OVER (ORDER BY key COLLATE "C") - 1 AS number
    FROM battles_agent WHERE created_at <= %(at)s
),
lane_facts AS (
    SELECT attempt.battle_id,
           bool_or(lane.ended IN ('provider_error', 'browser_error', 'lost')
                   OR NOT EXISTS (SELECT 1 FROM battles_step step WHERE step.lane_id = lane.id AND step.number > 0)
           ) AS never_ran,
           min(lane.budget_steps) <> max(lane.budget_steps)
           OR min(lane.budget_seconds) <> max(lane.budget_seconds) AS unequal
    FROM battles_lane lane JOIN battles_attempt attempt ON attempt.id = lane.attempt_id
    WHERE attempt.outcome = 'finished'
    GROUP BY attempt.battle_id
)
