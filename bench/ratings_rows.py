"""The rows that ``bench.ratings --database`` reads: battles of a hundred agents, judged, made by PostgreSQL itself.

Every battle is of a task of its own and has one finished attempt, two lanes and a step in each. Every tenth battle has
three votes, the others one, so that both ways of clustering are at work. Few judges cast many votes. A fiftieth of the
battles leaked, as many judges are not trusted, and answers differ in length and marks, so that no variant is refused.

Written with triggers off, which takes a role that may do so, and into a database that is thrown away.
"""

from __future__ import annotations

from django.db import connection, transaction

from battles.lane_facts import complete_lane_facts
from battles.models import Agent

AGENTS, JUDGES = 100, 100_000
#: Votes of ten battles.
VOTES_OF_TEN = 12

ONCE = (
    """INSERT INTO governance_judge (id, created_at)
    SELECT 'judge' || lpad(n::text, 6, '0'), now() - interval '40 days' FROM generate_series(0, {judges} - 1) n""",
    """INSERT INTO judging_judgeaccount (judge_id, account, bound_at)
    SELECT 'judge' || lpad(n::text, 6, '0'), 'account' || n, now() - interval '40 days'
    FROM generate_series(0, {judges} - 1) n""",
    """INSERT INTO judging_trustchange (judge_id, before, state, actor, reason, at)
    SELECT 'judge' || lpad(n::text, 6, '0'), 'new', CASE WHEN n % 50 = 7 THEN 'untrusted' ELSE 'trusted' END, 'bench',
        'bench', now() - interval '35 days'
    FROM generate_series(0, {judges} - 1) n WHERE n % 5 = 2""",
)
BATTLES = (
    """INSERT INTO battles_task (id, judge_id, receipt_id, instruction, start_url, hosts, kind, category, overlap,
        overlap_match, practice_key, submission_key, created_at)
    SELECT md5('task' || n)::uuid, NULL, NULL, 'Find the opening hours of library ' || n, 'https://site' || n % 50
        || '.example/', ARRAY['site' || n % 50 || '.example'], CASE WHEN n % 3 = 0 THEN 'action' ELSE 'answer' END,
        (ARRAY['research', 'shopping', 'travel'])[1 + n % 3], 'novel', '', 'bench', '', now() - interval '30 days'
    FROM generate_series(1, {battles}) n""",
    """INSERT INTO battles_battle (id, task_id, kind, state, agent_a_id, agent_b_id, pair_probability, judges_needed,
        leak_scan, created_at, votable_at, resolved_at, closed_at, void_reason)
    SELECT md5('battle' || n)::uuid, md5('task' || n)::uuid, 'live', 'closed',
        'agent-' || lpad(a::text, 3, '0'), 'agent-' || lpad(((a + 1 + shift) % {agents})::text, 3, '0'),
        2.0 / ({agents} * ({agents} - 1)), CASE WHEN n % 10 = 0 THEN 3 ELSE 1 END,
        CASE WHEN n % 50 = 1 THEN 'leaked' ELSE 'clean' END, now() - interval '29 days' + n * interval '1 second',
        now() - interval '2 days', now() - interval '1 day', now() - interval '1 day', ''
    FROM generate_series(1, {battles}) n CROSS JOIN LATERAL (
        SELECT abs(hashtext('a' || n)) % {agents} AS a, abs(hashtext('b' || n)) % ({agents} - 1) AS shift
    ) AS pair""",
    """INSERT INTO battles_attempt (id, battle_id, number, token, worker, outcome, started_at, ended_at)
    SELECT md5('attempt' || n)::uuid, md5('battle' || n)::uuid, 1, md5('token' || n)::uuid, 'bench', 'finished',
        now() - interval '28 days', now() - interval '28 days'
    FROM generate_series(1, {battles}) n""",
    """INSERT INTO battles_lane (id, attempt_id, slot, agent_id, agent_version, budget_steps, budget_seconds, state,
        ended, started_at, ended_at, seconds, steps_charged, answer, detail, start_digest)
    SELECT md5('lane' || n || slot)::uuid, md5('attempt' || n)::uuid, slot,
        CASE slot WHEN 'A' THEN battle.agent_a_id ELSE battle.agent_b_id END, 'version-1', 30, 300, 'ended',
        'answered', now() - interval '28 days', now() - interval '28 days', 40 + h % 160, 1 + h % 29,
        repeat(E'# Hours\n', h % 2) || 'Open until 17:30 on Saturdays, and **closed** on Sundays.'
            || repeat(E'\n- The fee is 4.50.', h % 5) || repeat(' See the page itself.', h % 7), '', md5('d' || n)
    FROM generate_series(1, {battles}) n JOIN battles_battle battle ON battle.id = md5('battle' || n)::uuid
    CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)
    CROSS JOIN LATERAL (SELECT abs(hashtext('l' || n || slot)) AS h) AS hashed""",
    """INSERT INTO battles_step (id, lane_id, number, verb, arguments, reasoning, charged, ok, code, result, page_text,
        changes, target, refusals, url_before, url_after, title, tabs, page_before, page_after, overlay, wall,
        observe_ms, model_ms, act_ms, clock, model_called, at)
    SELECT md5('step' || n || slot)::uuid, md5('lane' || n || slot)::uuid, 1, 'answer', '{{}}', '', TRUE, TRUE, '', '',
        '', '[]', NULL, '[]', '', '', '', 1, '', '', '', '', 50, 900, 40, 3.5, TRUE, now() - interval '28 days'
    FROM generate_series(1, {battles}) n CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)""",
    """INSERT INTO judging_vote (id, battle_id, judge_id, receipt_id, choice, winner_id, confidence, reasons, note,
        by_submitter, focus_ms, steps_opened, idempotency_key, cast_at, locked_at)
    SELECT md5('vote' || n || i)::uuid, md5('battle' || n)::uuid, 'judge' || lpad(judge::text, 6, '0'),
        md5('receipt')::uuid, said,
        CASE WHEN said = 'lane' THEN md5('lane' || n || CASE WHEN v < chance THEN 'A' ELSE 'B' END)::uuid END, 'high',
        ARRAY[]::text[], '', FALSE, 8000, 5, '', now() - interval '2 days' + n * interval '0.1 second',
        now() - interval '1 day'
    FROM generate_series(1, {battles}) n CROSS JOIN LATERAL generate_series(1, CASE WHEN n % 10 = 0 THEN 3 ELSE 1 END) i
    CROSS JOIN LATERAL (
        SELECT abs(hashtext('j' || n)) % 100000 / 100000.0 AS u, abs(hashtext('v' || n || i)) % 1000 / 1000.0 AS v,
            (ARRAY['lane', 'lane', 'lane', 'lane', 'lane', 'lane', 'lane', 'tie', 'tie', 'both_bad'])
                [1 + abs(hashtext('s' || n || i)) % 10] AS said,
            abs(hashtext('a' || n)) % {agents} AS a, abs(hashtext('b' || n)) % ({agents} - 1) AS shift
    ) AS drawn
    CROSS JOIN LATERAL (
        SELECT (floor({judges} * u * u * u)::int + 7 * i) % {judges} AS judge,
            1 / (1 + exp((((a + 1 + shift) % {agents}) - a) / 50.0)) AS chance
    ) AS said_by""",
)


def fill(votes: int) -> int:
    """Write about so many votes, and return how many."""
    Agent.objects.bulk_create(
        Agent(
            key=f"agent-{number:03}",
            name=f"Agent {number}",
            provider=f"Provider {number % 7}",
            adapter="bench",
            model_version="version-1",
            kind=Agent.Kind.MODEL,
        )
        for number in range(AGENTS)
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in (*ONCE, *BATTLES):
            cursor.execute(statement.format(agents=AGENTS, judges=JUDGES, battles=votes * 10 // VOTES_OF_TEN))
    # In the arena facts are counted when a race finishes, and not while a corpus is read.
    complete_lane_facts()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT count(*) FROM judging_vote")
        return int(cursor.fetchone()[0])
