"""How long the catalogue takes: ``bin/on-a-fresh-database .venv/bin/python -m bench.metrics``.

The rival is one sequential scan of the same two tables, which has to look at every row once and does nothing else.
Both run in turn, round by round, on rows that PostgreSQL made itself: lanes of twenty steps with page texts, targets,
tokens, errors, pop-ups and walls, and votes of judges of unequal industry. Growth is the same catalogue over a tenth
of the rows. Memory is the peak of this process above what it had before the first catalogue; what a sort needs beyond
``work_mem`` is on PostgreSQL's disk.

Steps are counted once, when a race finishes, and the catalogue reads what was counted. What that costs is said apart:
for all lanes that came since the last line at once, as after a change of the definition, and for one race.

The rows are written with triggers off, which takes a role that may do so, and into a database that is thrown away.
"""

from __future__ import annotations

import argparse
import functools
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import django
import numpy as np
from django.core.management import call_command
from django.db import connection, transaction

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
django.setup()

from battles.lane_facts import complete_lane_facts, store_lane_facts  # noqa: E402  # models need Django set up
from battles.models import Attempt  # noqa: E402
from metrics.computing import compute  # noqa: E402
from metrics.documents import full_document  # noqa: E402
from ratings.models import Board  # noqa: E402

STEPS_A_LANE = 20
#: Of each battle's two lanes: one vote for so many battles, so that a million steps come with a hundred thousand votes.
VOTES_A_BATTLE = 4
AGENTS, JUDGES = 24, 4000
ROUNDS = 3
#: So many races are counted again one by one.
RACES = 30
TARGET = 15.0

#: Tables are filled in this order; ``{battles}`` is how many battles there are, ``{first}`` the number of the first.
FILL = (
    """INSERT INTO battles_task (id, judge_id, receipt_id, instruction, start_url, hosts, kind, category, overlap,
        overlap_match, practice_key, submission_key, created_at)
    SELECT md5('task' || n)::uuid, NULL, NULL, 'Find the opening hours of library ' || n, 'https://site' || n % 50
        || '.example/', ARRAY['site' || n % 50 || '.example'], CASE WHEN n % 3 = 0 THEN 'action' ELSE 'answer' END,
        (ARRAY['research', 'shopping', 'travel'])[1 + n % 3], 'novel', '', 'bench', '', now() - interval '30 days'
    FROM generate_series({first}, {last}) n""",
    """INSERT INTO battles_battle (id, task_id, kind, state, agent_a_id, agent_b_id, pair_probability, judges_needed,
        leak_scan, created_at, votable_at, resolved_at, void_reason)
    SELECT md5('battle' || n)::uuid, md5('task' || n)::uuid, 'live', 'resolved',
        'agent-' || n % {agents}, 'agent-' || (n % {agents} + 1 + n / {agents} % ({agents} - 1)) % {agents},
        0.01, 3, CASE WHEN n % 50 = 0 THEN 'leaked' ELSE 'clean' END,
        now() - interval '29 days' + n * interval '1 second', now() - interval '20 days', now() - interval '1 day', ''
    FROM generate_series({first}, {last}) n""",
    """INSERT INTO battles_attempt (id, battle_id, number, token, worker, outcome, started_at, ended_at)
    SELECT md5('attempt' || n)::uuid, md5('battle' || n)::uuid, 1, md5('token' || n)::uuid, 'bench', 'finished',
        now() - interval '28 days', now() - interval '28 days'
    FROM generate_series({first}, {last}) n""",
    """INSERT INTO battles_lane (id, attempt_id, slot, agent_id, agent_version, budget_steps, budget_seconds, state,
        ended, started_at, ended_at, seconds, steps_charged, answer, detail, start_digest)
    SELECT md5('lane' || n || slot)::uuid, md5('attempt' || n)::uuid, slot,
        CASE slot WHEN 'A' THEN battle.agent_a_id ELSE battle.agent_b_id END, 'version-1', 30, 300, 'ended',
        (ARRAY['answered', 'answered', 'answered', 'gave_up', 'step_budget'])[1 + (n + (slot = 'B')::int) % 5],
        now() - interval '28 days', now() - interval '28 days', 40 + n % 160, {steps} - 1,
        'Open until 17:30 on Saturdays, says Maria Lindqvist; the fee is ' || n % 900 + 10 || '.50.', '', md5('d' || n)
    FROM generate_series({first}, {last}) n JOIN battles_battle battle ON battle.id = md5('battle' || n)::uuid
    CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)""",
    """INSERT INTO battles_step (id, lane_id, number, verb, arguments, reasoning, charged, ok, code, result, page_text,
        changes, target, refusals, url_before, url_after, title, tabs, page_before, page_after, overlay, wall,
        observe_ms, model_ms, act_ms, clock, model_called, input_plain, input_cache_read, input_cache_write, output,
        output_reasoning, at)
    SELECT md5('step' || n || slot || k)::uuid, md5('lane' || n || slot)::uuid, k,
        CASE WHEN k = 0 THEN '' WHEN k = {steps} - 1 THEN 'answer'
             ELSE (ARRAY['click', 'click', 'click', 'type', 'scroll', 'read', 'navigate', 'wait'])[1 + h % 8] END,
        jsonb_build_object('x', h % 1280, 'y', h % 800, 'text', 'term ' || h % 40),
        'The list shows several entries; the one with the right year should be opened next to see its details.',
        TRUE, h % 23 <> 0, CASE WHEN h % 23 = 0 THEN 'not_found' ELSE '' END, 'Clicked the link.',
        CASE WHEN h % 12 = 0 THEN repeat('The branch is open until 17:30. Fee: 12.50. ', 25) ELSE '' END, '[]',
        jsonb_build_object('x', h % 1280, 'y', h % 800, 'role', 'link', 'name', 'Entry ' || h % 60, 'box',
            jsonb_build_array(h % 60, 40, 200, 24)),
        '[]', 'https://site' || n % 50 || '.example/page/' || (k - 1) / 3, 'https://site' || n % 50 || '.example/page/'
        || k / 3, 'Entries', 1, left(md5(n || slot || (k - 1) / 2), 16) || '.' || left(md5('p' || (k - 1) / 2), 16),
        left(md5(n || slot || k / 2), 16) || '.' || left(md5('p' || k / 2), 16),
        CASE WHEN h % 40 = 0 THEN 'dialog' ELSE '' END, CASE WHEN h % 300 = 0 THEN 'challenge' ELSE '' END,
        50 + h % 40, 900 + h % 4000, 40 + h % 200, k * 3.5, k > 0, 2000 + h % 900, 500, 300, 200 + h % 400, 80,
        now() - interval '28 days'
    FROM generate_series({first}, {last}) n CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)
    CROSS JOIN generate_series(0, {steps} - 1) k
    CROSS JOIN LATERAL (SELECT abs(hashtext(n || slot || k)) AS h) AS hashed
    ORDER BY n, k, slot""",
    """INSERT INTO judging_vote (id, battle_id, judge_id, receipt_id, choice, winner_id, confidence, reasons, note,
        by_submitter, focus_ms, steps_opened, idempotency_key, cast_at, locked_at)
    SELECT md5('vote' || n || i)::uuid, md5('battle' || n)::uuid, 'judge' || lpad(judge::text, 6, '0'),
        md5('receipt')::uuid, said,
        CASE WHEN said = 'lane' THEN md5('lane' || n || CASE WHEN h % 5 < 3 THEN 'A' ELSE 'B' END)::uuid END, 'high',
        CASE WHEN h % 3 = 0 THEN ARRAY['correct'] ELSE ARRAY[]::text[] END, '', FALSE, 8000 + h % 200000, h % 39, '',
        now() - interval '2 days' + n * interval '1 second', now() - interval '1 day'
    FROM generate_series({first}, {last}) n CROSS JOIN generate_series(1, {votes}) i
    CROSS JOIN LATERAL (SELECT abs(hashtext('v' || n || i)) AS h, abs(hashtext('j' || n)) % 10000 / 10000.0 AS u) AS a
    CROSS JOIN LATERAL (
        SELECT (floor({judges} * u * u)::int + 7 * i) % {judges} AS judge,
               (ARRAY['lane', 'lane', 'lane', 'tie', 'both_bad'])[1 + h / 7 % 5] AS said
    ) AS b""",
    """INSERT INTO judging_completion (vote_id, lane_id, verdict)
    SELECT md5('vote' || n || i)::uuid, md5('lane' || n || slot)::uuid,
        (ARRAY['done', 'partly', 'not_done', 'cannot_tell'])[1 + abs(hashtext('c' || n || i || slot)) % 4]
    FROM generate_series({first}, {last}) n CROSS JOIN generate_series(1, {votes}) i
    CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)""",
)
#: What there is once, however many battles.
ONCE = (
    """INSERT INTO battles_agent (key, name, provider, adapter, model_version, base_url, key_variable, parameters, kind,
        state, retirement_cause, retirement_reason, created_at)
    SELECT 'agent-' || n, 'Agent ' || n, 'Provider ' || n % 7, 'bench', 'version-1', '', '', '{{}}', 'model', 'active',
        '', '', now() - interval '40 days'
    FROM generate_series(0, {agents} - 1) n""",
    """INSERT INTO battles_price (model_version, effective_from, input_plain, output, input_cache_read, source,
        entered_at)
    VALUES ('version-1', now() - interval '90 days', 3, 15, 0.3, 'bench', now())""",
    """INSERT INTO governance_judge (id, created_at)
    SELECT 'judge' || lpad(n::text, 6, '0'), now() - interval '40 days' FROM generate_series(0, {judges} - 1) n""",
    """INSERT INTO judging_judgeaccount (judge_id, account, bound_at)
    SELECT 'judge' || lpad(n::text, 6, '0'), 'account' || n, now() - interval '40 days'
    FROM generate_series(0, {judges} - 1) n""",
)
#: The rival: every row of both tables, once.
SCAN = (
    "SELECT count(*), sum(clock), max(model_ms) FROM battles_step",
    "SELECT count(*), sum(focus_ms) FROM judging_vote",
)


@dataclass(frozen=True)
class Timing:
    """Seconds of every round, and what was used meanwhile."""

    steps: int
    votes: int
    counting: float
    finishing: list[float]
    catalogue: list[float]
    scan: list[float]
    megabytes: float
    temporary_megabytes: float
    values: int

    @property
    def ratio(self) -> float:
        return statistics.median(self.catalogue) / statistics.median(self.scan)


def run(statements: tuple[str, ...], **sizes: int) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in statements:
            cursor.execute(
                statement.format(steps=STEPS_A_LANE, votes=VOTES_A_BATTLE, agents=AGENTS, judges=JUDGES, **sizes)
            )


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def scan() -> None:
    with connection.cursor() as cursor:
        for statement in SCAN:
            cursor.execute(statement)
            cursor.fetchall()


def temporary_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def measure(rounds: int) -> Timing:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT (SELECT count(*) FROM battles_step), (SELECT count(*) FROM judging_vote)")
        steps, votes = cursor.fetchone()
    counting = timed(complete_lane_facts)
    races = Attempt.objects.values_list("pk", flat=True)[:RACES]
    finishing = [timed(functools.partial(store_lane_facts, race)) for race in races]
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE battles_lanefacts")
    before, spilled = peak_megabytes(), temporary_bytes()
    catalogue, scans, found = [], [], {}
    for _ in range(rounds):
        scans.append(timed(scan))
        catalogue.append(timed(lambda: found.update(compute(Board.HEADLINE))))
    document = full_document(found, {})
    values = sum(value["value"] is not None for each in document["measures"] for value in each["values"])
    spilled = (temporary_bytes() - spilled) / rounds / 2**20
    used = peak_megabytes() - before
    return Timing(steps, votes, counting, finishing, catalogue, scans, used, spilled, values)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM battles_battle), version()")
        used, version = cursor.fetchone()
    if used:
        sys.exit("There are battles in this database. Please run it with bin/on-a-fresh-database.")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {version.split(' on ')[0]}")
    battles = chosen.steps // (2 * STEPS_A_LANE)
    run(ONCE)
    run(FILL, first=1, last=battles // 10)
    small = measure(chosen.rounds)
    run(FILL, first=battles // 10 + 1, last=battles)
    large = measure(chosen.rounds)
    print(f"{'steps':>10} {'votes':>9} {'catalogue':>24} {'one scan':>24} {'ratio':>7} {'MB':>7} {'MB on disk':>11}")
    for timing in (small, large):
        times = [
            f"{statistics.median(each):.2f} s ({min(each):.2f} to {max(each):.2f})"
            for each in (timing.catalogue, timing.scan)
        ]
        print(
            f"{timing.steps:10,} {timing.votes:9,} {times[0]:>24} {times[1]:>24} {timing.ratio:6.1f}x"
            f" {timing.megabytes:7.1f} {timing.temporary_megabytes:11.0f}"
        )
    for timing, new in ((small, small.steps), (large, large.steps - small.steps)):
        once = f"{statistics.median(timing.finishing) * 1000:.1f} ms"
        print(f"Counting the lanes of {new:,} steps took {timing.counting:.2f} s, and those of one race {once}.")
    grown = statistics.median(large.catalogue) / statistics.median(small.catalogue)
    print(f"{large.values} values that are not null. Ten times the rows take {grown:.1f} times as long.")
    print(f"The target is {TARGET:.0f} scans at most.")


if __name__ == "__main__":
    main()
