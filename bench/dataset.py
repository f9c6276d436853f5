"""How fast a snapshot is made and in how much memory: ``bin/on-a-fresh-database .venv/bin/python -m bench.dataset``.

The rival is reading the same rows by the same server-side cursors and doing nothing with them. Each build is a process
of its own, so that the peak of its memory is its own; flat means that ten times the rows take the same. Rows are those
of ``bench.metrics`` with consent and offers, and with words that come again as they do in races of one task; with
``--distinct`` no two steps have the same words, which is the worst that redaction can meet, and fewer rows are taken.

The rows are written with triggers off, which takes a role that may do so, and into a database that is thrown away.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("ARENA_LEGAL_NAME", "Bench Arena Ltd")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

import django  # the name has to be set before settings are read

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from bench.metrics import FILL, ONCE, STEPS_A_LANE, run  # noqa: E402
from governance.consent import current_text  # noqa: E402
from governance.dataset.building import _read, build_snapshot  # noqa: E402
from governance.dataset.home import snapshots_home  # noqa: E402
from governance.dataset.selection import choose  # noqa: E402
from governance.exports import tables  # noqa: E402

#: Only some verbs type something; in the measures' bench every step does.
TYPED = "'y', h % 800, 'text', 'term ' || h % 40)"
TYPES = "'y', h % 800) || CASE WHEN h % 8 = 3 THEN jsonb_build_object('text', 'term ' || h % 40) ELSE '{{}}' END"
GIVEN = (
    """INSERT INTO governance_consentreceipt (id, judge_id, text_id, language, rendered_sha256, given_at)
    SELECT md5('receipt' || id)::uuid, id, 1, 'en', '', now() - interval '40 days' FROM governance_judge
    WHERE NOT EXISTS (SELECT FROM governance_consentreceipt)""",
    "UPDATE judging_vote SET receipt_id = md5('receipt' || judge_id)::uuid",
    "UPDATE battles_battle SET state = 'closed', closed_at = now() - interval '1 day'",
    """INSERT INTO judging_offer (battle_id, judge_id, receipt_id, offered_at)
    SELECT id, 'judge000000', md5('receiptjudge000000')::uuid, now() - interval '2 days' FROM battles_battle
    ON CONFLICT DO NOTHING""",
)
DISTINCT = """UPDATE battles_step SET reasoning = reasoning || ' ' || md5(id::text),
    title = title || ' ' || md5(id::text), url_after = url_after || '/' || md5(id::text)"""


def fill(first: int, last: int, *, distinct: bool) -> None:
    statements = tuple(statement.replace(TYPED, TYPES) for statement in FILL)
    assert statements != FILL, "the rows of bench.metrics have changed"
    run(statements, first=first, last=last)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in (*GIVEN, *([DISTINCT] if distinct else [])):
            cursor.execute(statement)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def read_only() -> float:
    """Seconds of choosing and reading every row."""
    began = time.perf_counter()
    with transaction.atomic():
        now = timezone.now()
        choose(now)
        for table in tables():
            for _ in _read(table, now):
                pass
    return time.perf_counter() - began


def in_a_process(what: str, processes: int) -> tuple[float, float, float]:
    """Seconds, peak megabytes and megabytes written of one reading or one build."""
    command = [sys.executable, "-m", "bench.dataset", "--only", what, "--processes", str(processes)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak, written = map(float, told.stdout.split()[-3:])
    return seconds, peak, written


def only(what: str, processes: int) -> None:
    began = time.perf_counter()
    written = 0.0
    if what == "read":
        seconds = read_only()
    else:
        snapshot = build_snapshot(actor="system:bench", processes=processes)
        seconds = time.perf_counter() - began
        folder: Path = snapshots_home() / snapshot.path
        written = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
        shutil.rmtree(folder)
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, written)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--distinct", action="store_true")
    parser.add_argument("--only", choices=["read", "build"], help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.only:
        only(chosen.only, chosen.processes)
        return
    call_command("migrate", interactive=False, verbosity=0)
    current_text()
    run(ONCE)
    print(f"{'steps':>10} {'read':>9} {'build':>9} {'ratio':>7} {'peak':>8} {'written':>9} {'rate':>10} {'steps/s':>9}")
    done = 0
    for steps in chosen.steps:
        battles = steps // (2 * STEPS_A_LANE)
        fill(done + 1, battles, distinct=chosen.distinct)
        done = battles
        read, _, _ = in_a_process("read", 1)
        build, peak, written = in_a_process("build", chosen.processes)
        print(
            f"{steps:10,} {read:7.1f} s {build:7.1f} s {build / read:6.1f}x {peak:5.0f} MB {written:6.1f} MB"
            f" {written / build:5.2f} MB/s {steps / build:9.0f}",
            flush=True,
        )
    load = os.getloadavg()
    print(f"Load of the machine at the end: {load[0]:.1f}. {chosen.processes} processes redact.")


if __name__ == "__main__":
    main()
