"""How long operators' pages take when tables are long.

    bin/on-a-fresh-database .venv/bin/python -m bench.admin
    bin/on-a-fresh-database .venv/bin/python -m bench.admin --rows 100000

PostgreSQL makes the rows: as many of the journal, battles and votes as asked for; a tenth as many judges, changes of
trust and entries of the ledger; two lanes with three frames each for every tenth battle; and a hundredth as many
reports and withdrawals, of which some wait. Each page is asked for six times through the whole stack of middleware; the
first answer, which compiles templates, is told apart. "Of ours" is the time of this process's processor and "database"
that of the backend which answers it, for machines that others use too: together they are what a page takes where nobody
waits for a processor.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client, override_settings  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

import arena_site.wsgi  # noqa: E402, F401  # what a server's process has prepared when the first visitor comes
from arena_site.showcase import consenting_judge, signed_in_operator  # noqa: E402
from battles.agents.registry import ADAPTERS  # noqa: E402
from battles.models import Agent, Task  # noqa: E402
from judging.site_visits import PLAIN_FILES  # noqa: E402

#: The design's bound for any page, in milliseconds.
BOUND_MS = 500
TURNS = 5
#: So many of each queue wait for an operator.
WAITING = 200
#: A UUIDv7 of the n-th millisecond before now.
ID = (
    "(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || "
    "'a' || substr(md5(n::text), 4, 15))::uuid"
)


def fill(rows: int) -> None:
    agents = [
        Agent.objects.create(
            key=key,
            name=key.title(),
            provider="Bench",
            adapter=next(iter(ADAPTERS)),
            model_version=f"{key}-1",
            kind=Agent.Kind.MODEL,
        )
        for key in ("bench-one", "bench-two")
    ]
    judge = consenting_judge()
    receipt = judge.receipts.get()
    task = Task.objects.create(
        judge=judge,
        receipt=receipt,
        instruction="Find the opening hours of the town library.",
        start_url="https://example.org/",
        kind=Task.Kind.ANSWER,
        category="research",
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO governance_judge (id, created_at) SELECT md5(n::text), now() FROM generate_series(1, %s) n",
            [rows // 10],
        )
        cursor.execute(
            f"""INSERT INTO governance_journalentry (id, at, actor, action, subject, reason, detail)
            SELECT {ID}, now() - n * interval '1 ms', 'system:bench', 'judging:vote:lock', md5(n::text), '', '{{}}'
            FROM generate_series(1, %s) n""",
            [rows],
        )
        cursor.execute(
            f"""INSERT INTO battles_battle (id, task_id, kind, state, agent_a_id, agent_b_id, pair_probability,
                judges_needed, leak_scan, created_at, votable_at, closed_at, void_reason)
            SELECT {ID}, %s, 'live', CASE WHEN n %% 100 = 0 THEN 'votable' ELSE 'closed' END, %s, %s, 0.5, 1,
                CASE WHEN n %% 5000 = 0 THEN 'leaked' ELSE 'clean' END, now() - n * interval '1 ms', now(), now(), ''
            FROM generate_series(1, %s) n""",
            [task.pk, agents[0].pk, agents[1].pk, rows],
        )
        cursor.execute(
            """INSERT INTO judging_vote (id, battle_id, judge_id, receipt_id, choice, confidence, reasons, note,
                by_submitter, idempotency_key, cast_at, locked_at)
            SELECT battle.id, battle.id, md5((1 + row_number() OVER () %% %s)::text), %s, 'tie', '', '{}', '', FALSE,
                '', now(), now() FROM battles_battle battle""",
            [rows // 10, receipt.pk],
        )
        cursor.execute(
            """INSERT INTO judging_heldlabel (vote_id, reason, held_by, held_at, due_at, decision, decided_by,
                decided_reason)
            SELECT id, 'Improbable.', 'system:bench', now(), now() + interval '7 days', '', '', ''
            FROM judging_vote LIMIT %s""",
            [WAITING],
        )
        cursor.execute(
            """INSERT INTO judging_trustchange (judge_id, before, state, actor, reason, at)
            SELECT id, 'new', 'trusted', 'system:bench', 'Because.', now() FROM governance_judge"""
        )
    fill_around_battles(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


#: What belongs to battles, votes and rows of the journal that are there, of every tenth or hundredth of them.
AROUND = (
    """INSERT INTO battles_attempt (id, battle_id, number, token, worker, outcome, started_at, ended_at)
    SELECT id, id, 1, id, 'bench', 'finished', now(), now() FROM battles_battle TABLESAMPLE BERNOULLI (10)""",
    """INSERT INTO battles_lane (id, attempt_id, slot, agent_id, agent_version, budget_steps, budget_seconds, state,
        ended, started_at, ended_at, seconds, steps_charged, answer, detail, start_digest)
    SELECT md5(battle.id || slot)::uuid, battle.id, slot, CASE slot WHEN 'A' THEN agent_a_id ELSE agent_b_id END, '1',
        30, 300, 'ended', 'answered', now(), now(), 90, 2, 'Open until 17:30.', '', ''
    FROM battles_attempt JOIN battles_battle battle ON battle.id = battle_id
    CROSS JOIN (VALUES ('A'), ('B')) AS slots(slot)""",
    """INSERT INTO battles_frame (id, lane_id, sha256, mime, width, height, size, taken_at, text_redaction,
        picture_redaction, text_boxes, picture_boxes)
    SELECT md5(id || number::text)::uuid, id, repeat(md5(id || number::text), 2), 'image/webp', 1280, 800, 50000,
        now() + number * interval '1 s', 'clean', 'clean', '[]', '[]'
    FROM battles_lane CROSS JOIN generate_series(0, 2) AS number""",
    """INSERT INTO battles_step (id, lane_id, number, verb, arguments, reasoning, charged, ok, code, result, page_text,
        changes, target, refusals, url_before, url_after, title, tabs, page_before, page_after, overlay, wall, frame_id,
        observe_ms, model_ms, act_ms, clock, model_called, at)
    SELECT md5('step' || id || number)::uuid, id, number, CASE number WHEN 0 THEN '' WHEN 1 THEN 'scroll' ELSE 'answer'
        END, '{}', '', number > 0, TRUE, '', '', '', '[]', NULL, '[]', '', '', '', 1, '', '', '', '',
        md5(id || number::text)::uuid, 50, 900, 40, number * 30, number > 0, now()
    FROM battles_lane CROSS JOIN generate_series(0, 2) AS number""",
    """INSERT INTO judging_report (id, battle_id, judge_id, kind, note, opened_at, due_at, resolved_at, resolution,
        resolved_by, resolved_reason)
    SELECT id, battle_id, judge_id, 'other', 'The page was down.', cast_at, cast_at + interval '3 days',
        CASE WHEN number > %(waiting)s THEN now() END, CASE WHEN number > %(waiting)s THEN 'restored' ELSE '' END,
        CASE WHEN number > %(waiting)s THEN 'operator:1' ELSE '' END,
        CASE WHEN number > %(waiting)s THEN 'It is up.' ELSE '' END
    FROM (SELECT *, row_number() OVER () AS number FROM judging_vote LIMIT %(rows)s / 100) AS vote""",
    """INSERT INTO governance_withdrawal (id, judge_id, scope, kind, channel, received_at, corpus_done_at,
        licensees_done_at, called_off_reason, removed)
    SELECT id, judge_id, 'kind', 'vote', 'mail', now() - number %% 6 * interval '1 day',
        CASE WHEN number > %(waiting)s THEN now() END, CASE WHEN number > %(waiting)s THEN now() END, '', '{"vote": 1}'
    FROM (SELECT *, row_number() OVER () AS number FROM judging_vote LIMIT %(rows)s / 100) AS vote""",
    """INSERT INTO governance_ledgerentry (index, kind, text, leaf_hash, subtrees, journal_id)
    SELECT (SELECT count(*) FROM governance_ledgerentry) + number - 1, 'judging:judge:trusted',
        '{"at":"2026-11-30T05:31:40Z","detail":{},"kind":"judging:judge:trusted","record":"' || repeat(md5(id::text), 2)
            || '","subject":null}', repeat(md5(id::text), 2), '{}', id
    FROM (SELECT id, row_number() OVER () AS number FROM governance_journalentry WHERE actor = 'system:bench'
          LIMIT %(rows)s / 10) AS journal""",
)


def fill_around_battles(rows: int) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # What is written here agrees with itself, and checking each row of it takes longer than writing it.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in AROUND:
            cursor.execute(statement, {"rows": rows, "waiting": WAITING})


def pages() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id::text, judge_id FROM judging_vote LIMIT 1")
        vote, judge = cursor.fetchone()
        cursor.execute("SELECT battle_id FROM battles_attempt LIMIT 1")
        (recorded,) = cursor.fetchone()
        cursor.execute("SELECT id FROM governance_withdrawal WHERE corpus_done_at IS NULL LIMIT 1")
        (withdrawal,) = cursor.fetchone()
    lists = ("governance/journalentry", "battles/battle", "judging/vote", "governance/judge", "judging/trustchange")
    return [
        ("what is due", "/admin/"),
        ("tasks", "/admin/battles/task/"),
        *((f"list of {name}", f"/admin/{name}/") for name in lists),
        ("entries of the ledger", "/admin/governance/ledgerentry/"),
        ("held labels that wait", "/admin/judging/heldlabel/"),
        ("reports that wait", "/admin/judging/report/"),
        ("all reports", "/admin/judging/report/?all=yes"),
        ("withdrawals that wait", "/admin/governance/withdrawal/"),
        ("all withdrawals", "/admin/governance/withdrawal/?all=yes"),
        ("last page of the journal", "/admin/governance/journalentry/?p=50"),
        ("battles that are votable", "/admin/battles/battle/?state=votable"),
        ("battles of a state that none has", "/admin/battles/battle/?state=racing"),
        ("journal, searched", f"/admin/governance/journalentry/?q={vote}"),
        ("votes of a judge, searched", f"/admin/judging/vote/?q={judge}"),
        ("one battle", f"/admin/battles/battle/{vote}/change/"),
        ("one battle with its recordings", f"/admin/battles/battle/{recorded}/change/"),
        ("one withdrawal that waits", f"/admin/governance/withdrawal/{withdrawal}/change/"),
        ("one vote", f"/admin/judging/vote/{vote}/change/"),
        ("one judge", f"/admin/governance/judge/{judge}/change/"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    start = time.perf_counter()
    fill(options.rows)
    print(f"{options.rows:,} rows of each long table, filled in {time.perf_counter() - start:.0f} s")
    measure()


def measure() -> None:
    with override_settings(ALLOWED_HOSTS=["testserver"], STORAGES=settings.STORAGES | {"staticfiles": PLAIN_FILES}):
        client = Client()
        name, value = signed_in_operator("bench", reason="Measures how long pages take.")
        client.cookies[name] = value
        print(f"{'page':<36} {'first':>8} {'median':>8} {'worst':>8} {'of ours':>8} {'database':>9} {'queries':>8}")
        slow = busy = 0
        for words, path in pages():
            times, own, database = [], [], []
            for _ in range(TURNS + 1):
                start, began, asked_before = time.perf_counter(), time.process_time(), backend_seconds()
                answer = client.get(path)
                own.append((time.process_time() - began) * 1000)
                times.append((time.perf_counter() - start) * 1000)
                database.append((backend_seconds() - asked_before) * 1000)
                assert answer.status_code == 200, (path, answer.status_code)
            with CaptureQueriesContext(connection) as asked:
                client.get(path)
            typical, ours, theirs = (statistics.median(each[1:]) for each in (times, own, database))
            slow += typical > BOUND_MS
            busy += ours + theirs > BOUND_MS
            print(
                f"{words:<36} {times[0]:>6.0f}ms {typical:>6.0f}ms {max(times[1:]):>6.0f}ms {ours:>6.0f}ms "
                f"{theirs:>7.0f}ms {len(asked):>8}"
            )
    print(f"{slow} pages over {BOUND_MS} ms on the clock, {busy} by processor; load {os.getloadavg()[0]:.1f}")


def backend_seconds() -> float:
    """What the connection's backend has had of a processor; needs PostgreSQL on this machine, and Linux."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    return int(Path(f"/proc/{backend}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


if __name__ == "__main__":
    main()
