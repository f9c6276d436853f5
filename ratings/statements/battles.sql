-- A board's battles that ended, counted alike, and how many of them were withdrawn after the instant of reading. Reasons are
-- those of the labels, as far as they come from the battle.
WITH $races,
ended AS (
    SELECT one.number AS agent_a, other.number AS agent_b,
           CASE WHEN battle.kind NOT IN ('live', 'practice') THEN 1
                WHEN %(headline)s AND battle.kind <> 'live' THEN 1
                WHEN task.withdrawn_at IS NOT NULL THEN 2
                WHEN one.affiliated OR other.affiliated THEN 3
                WHEN %(headline)s AND (one.kind = 'baseline' OR other.kind = 'baseline') THEN 3
                WHEN one.number = other.number THEN 9
                WHEN (battle.state = 'void' AND battle.voided_at <= %(at)s) OR coalesce(race.never_ran, TRUE) THEN 4
                WHEN battle.id IN (SELECT battle_id FROM excluded WHERE excluded AND battle_id IS NOT NULL) THEN 4
                WHEN coalesce(race.unequal, TRUE) THEN 5
                WHEN battle.leak_scan <> 'clean' THEN 6
                ELSE 0 END AS reason,
           coalesce(task.withdrawn_at > %(at)s, FALSE) AS gone
    FROM battles_battle battle
    JOIN battles_task task ON task.id = battle.task_id
    JOIN roster one ON one.key = battle.agent_a_id
    JOIN roster other ON other.key = battle.agent_b_id
    LEFT JOIN races race ON race.battle_id = battle.id
    -- As with the votes: a battle that somebody may still judge blind waits, for two weeks at most.
    WHERE (battle.state = 'void' AND battle.voided_at <= %(at)s)
       OR (battle.votable_at <= %(at)s
           AND (battle.kind <> 'live' OR battle.closed_at <= %(at)s OR battle.votable_at <= %(at)s - %(blind_for)s
                OR (NOT EXISTS (SELECT FROM judging_offer offer
                                WHERE offer.battle_id = battle.id AND offer.offered_at <= %(at)s)
                    AND EXISTS (SELECT FROM judging_vote own
                                WHERE own.battle_id = battle.id AND own.by_submitter
                                  AND least(own.locked_at, own.cast_at + %(revisable)s) <= %(at)s))))
)
SELECT agent_a, agent_b, reason, count(*), count(*) FILTER (WHERE gone) FROM ended
GROUP BY agent_a, agent_b, reason ORDER BY agent_a, agent_b, reason
