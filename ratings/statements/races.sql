-- Parts that both statements begin with: who was rostered by then and in which row they count, what of a finished race keeps a label from rating, and
-- what an operator left out.
-- Lanes are worked out before anything is joined to them, or their answers would be carried through every join. Of a lane
-- whose facts are not counted yet, they are counted here.
roster AS (
    SELECT agent.key, agent.kind, coalesce(agent.affiliated_from <= %(at)s, FALSE) AS affiliated,
           dense_rank() OVER (ORDER BY coalesce(joined.row_key, agent.key) COLLATE "C") - 1 AS number
    FROM battles_agent agent
    LEFT JOIN unnest(%(joined)s::varchar[], %(joined_rows)s::varchar[]) AS joined (key, row_key) ON joined.key = agent.key
    WHERE agent.created_at <= %(at)s
),
lanes AS MATERIALIZED (
    SELECT attempt.battle_id, lane.id, lane.slot, lane.budget_steps, lane.budget_seconds,
           lane.ended IN ('provider_error', 'browser_error', 'lost')
           OR CASE WHEN facts.lane_id IS NULL
                   THEN NOT EXISTS (SELECT FROM battles_step step WHERE step.lane_id = lane.id AND step.number > 0)
                   ELSE facts.steps = 0 END AS never_ran,
           $looks
    FROM battles_lane lane
    JOIN battles_attempt attempt ON attempt.id = lane.attempt_id AND attempt.outcome = 'finished'
    LEFT JOIN battles_lanefacts facts ON facts.lane_id = lane.id AND facts.definition = %(definition)s
),
races AS (
    SELECT a.battle_id, a.id AS lane_a, a.never_ran OR b.never_ran AS never_ran,
           a.budget_steps <> b.budget_steps OR a.budget_seconds <> b.budget_seconds AS unequal,
           $sides
    FROM lanes a JOIN lanes b ON b.battle_id = a.battle_id AND b.slot = 'B'
    WHERE a.slot = 'A'
),
excluded AS (
    SELECT DISTINCT ON (battle_id, vote_id) battle_id, vote_id, excluded FROM judging_exclusion
    WHERE at <= %(at)s ORDER BY battle_id, vote_id, id DESC
)
