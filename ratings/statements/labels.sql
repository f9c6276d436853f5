-- A board's labels, one a row and in no order, for a binary copy: every column is COALESCEd, since a NULL has no width.
--
-- Read as of an instant, so that an earlier publication can be made again: what was decided, rostered or cast later is
-- left out. Only what was withdrawn since is gone. A vote is final when its time is up, whenever the sweep says so.
--
-- A final vote waits while somebody may still judge its battle blind, in a free seat or a second time: a rating that moved
-- when it came would tell them the names. It waits for two weeks at most, so that no vote is lost to a seat nobody takes.
--
-- Whose turn it is among the reasons is decided by the order of the CASE; outranking needs all labels and happens on the
-- columns. Nothing about a judge is accumulated: the state in force, the account and what is held are read at every fit. A
-- judge without an account rates on the demo board only.
WITH $races,
trust AS (
    SELECT DISTINCT ON (judge_id) judge_id, state FROM judging_trustchange
    WHERE at <= %(at)s ORDER BY judge_id, id DESC
),
judges AS (
    SELECT judge.id, row_number() OVER (ORDER BY judge.id COLLATE "C") AS number,
           trust.state IN ('untrusted', 'suspended') AS distrusted, account.judge_id IS NOT NULL AS signed_in
    FROM governance_judge judge
    LEFT JOIN trust ON trust.judge_id = judge.id
    LEFT JOIN judging_judgeaccount account ON account.judge_id = judge.id AND account.bound_at <= %(at)s
),
held AS (
    SELECT DISTINCT vote_id FROM judging_heldlabel
    WHERE held_at <= %(at)s AND (decision <> 'released' OR decided_at > %(at)s)
),
labels AS (
    SELECT vote.id,
           vote.battle_id,
           judge.number AS judge,
           one.number AS agent_a,
           other.number AS agent_b,
           CASE WHEN vote.choice = 'tie' THEN 1
                WHEN vote.choice = 'both_bad' THEN 3
                WHEN vote.winner_id = race.lane_a THEN 2
                ELSE 0 END AS outcome,
           CASE WHEN battle.kind NOT IN ('live', 'practice') THEN 1
                WHEN %(headline)s AND battle.kind <> 'live' THEN 1
                WHEN vote.withdrawn_at IS NOT NULL OR task.withdrawn_at IS NOT NULL THEN 2
                WHEN one.affiliated OR other.affiliated THEN 3
                WHEN %(headline)s AND (one.kind = 'baseline' OR other.kind = 'baseline') THEN 3
                WHEN one.number = other.number THEN 9
                WHEN (battle.state = 'void' AND battle.voided_at <= %(at)s) OR coalesce(race.never_ran, TRUE) THEN 4
                WHEN battle.id IN (SELECT battle_id FROM excluded WHERE excluded AND battle_id IS NOT NULL) THEN 4
                WHEN coalesce(race.unequal, TRUE) THEN 5
                WHEN battle.leak_scan <> 'clean' THEN 6
                WHEN held.vote_id IS NOT NULL OR judge.distrusted THEN 7
                WHEN vote.id IN (SELECT vote_id FROM excluded WHERE excluded AND vote_id IS NOT NULL) THEN 7
                WHEN %(headline)s AND NOT judge.signed_in THEN 7
                ELSE 0 END AS reason,
           vote.by_submitter::int AS by_submitter,
           coalesce(vote.rubric_id, 0) AS rubric,
           array_position(%(categories)s::varchar[], task.category) - 1 AS category,
           battle.pair_probability AS probability,
           width_bucket(battle.created_at, %(edges)s::timestamptz[]) AS stretch,
           (battle.kind = 'practice')::int AS practice,
           (least(vote.withdrawn_at, task.withdrawn_at) > %(at)s)::int AS gone,
           $looks
    FROM judging_vote vote
    JOIN battles_battle battle ON battle.id = vote.battle_id
    JOIN battles_task task ON task.id = battle.task_id
    JOIN roster one ON one.key = battle.agent_a_id
    JOIN roster other ON other.key = battle.agent_b_id
    JOIN judges judge ON judge.id = vote.judge_id
    LEFT JOIN races race ON race.battle_id = battle.id
    LEFT JOIN held ON held.vote_id = vote.id
    LEFT JOIN judging_offer offer ON offer.battle_id = battle.id AND offer.offered_at <= %(at)s
    CROSS JOIN LATERAL (SELECT least(vote.locked_at, vote.cast_at + %(revisable)s) AS final_at) AS turn
    WHERE turn.final_at <= %(at)s
      AND (turn.final_at <= %(at)s - %(blind_for)s
           OR coalesce(battle.voided_at <= %(at)s, FALSE)
           OR ((battle.kind <> 'live' OR offer.battle_id IS NULL OR coalesce(battle.closed_at <= %(at)s, FALSE))
               AND NOT EXISTS (SELECT 1 FROM judging_assignment seat
                               LEFT JOIN judging_assignment again ON again.first_id = seat.id
                               WHERE seat.battle_id = battle.id AND seat.comes_back AND seat.outcome = 'voted'
                                 AND (again.id IS NULL OR again.outcome IN ('open', 'expired')
                                      OR again.ended_at > %(at)s - %(revisable)s))))
)
SELECT $columns FROM labels
