"""How fast a snapshot is made and in how much memory: ``bin/on-a-fresh-database .venv/bin/python -m bench.dataset``.

The rival is reading the same rows by the same server-side cursors and doing nothing with them. Each build is a process
of its own, so that the peak of its memory is its own; flat means that ten times the rows take the same. Rows are those
of ``bench.metrics`` with consent and offers, and with words that come again as they do in races of one task; with
``--distinct`` no two steps have the same words, which is the worst that redaction can meet, and fewer rows are taken.

The rows are written with triggers off, which takes a role that may do so, and into a database that is thrown away.
"""

from __future__ import annotations

import argparse
import io
import os
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("ARENA_LEGAL_NAME", "Bench Arena Ltd")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

import django  # the name has to be set before settings are read

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402
from PIL import Image  # noqa: E402

from battles.lanes.frame_store import store_frame  # noqa: E402
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
#: Every step shows a screenshot; there are few different ones, as there are of pages that many races begin with.
FRAMES = (
    """INSERT INTO battles_frame (id, lane_id, sha256, mime, width, height, size, taken_at, text_redaction,
        picture_redaction, text_boxes, picture_boxes)
    SELECT md5('frame' || step.id)::uuid, step.lane_id, picture.sha256, 'image/png', 320, 200, picture.size,
        now() - interval '28 days', 'masked', 'clean', '[[10, 10, 60, 20, "e-mail"]]', '[]'
    FROM (SELECT id, lane_id, mod(row_number() OVER (), {pictures}) AS shown
          FROM battles_step WHERE frame_id IS NULL) step
    JOIN (SELECT number - 1 AS number, sha256, size FROM unnest(%s::text[], %s::int[])
          WITH ORDINALITY AS known(sha256, size, number)) picture ON picture.number = step.shown""",
    "UPDATE battles_step SET frame_id = md5('frame' || id)::uuid WHERE frame_id IS NULL",
)
PICTURES = 50
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
        show, point = FRAMES
        kept = pictures()
        cursor.execute(show.format(pictures=PICTURES), [[name for name, _ in kept], [size for _, size in kept]])
        cursor.execute(point)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def pictures() -> list[tuple[str, int]]:
    """Digest and size of each picture, which lie in the store of frames."""
    found = []
    for number in range(PICTURES):
        encoded = io.BytesIO()
        Image.effect_noise((320, 200), 10 + number).save(encoded, "PNG")
        image = encoded.getvalue()
        found.append((store_frame(image, "image/png"), len(image)))
    return found


def read_only() -> None:
    """Choose, and read every row."""
    with transaction.atomic():
        now = timezone.now()
        choose(now)
        for table in tables():
            for _ in _read(table, now):
                pass


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds on the clock, of the processor in the process and its helpers, peak and written megabytes."""

    seconds: float
    processor: float
    peak: float
    written: float


def in_a_process(what: str, processes: int) -> Run:
    """One reading or one build."""
    command = [sys.executable, "-m", "bench.dataset", "--only", what, "--processes", str(processes)]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Run(*map(float, told.stdout.split()[-4:]))


def only(what: str, processes: int) -> None:
    began, before = time.perf_counter(), _processor()
    written = 0.0
    if what == "read":
        read_only()
    else:
        snapshot = build_snapshot(actor="system:bench", processes=processes, say=_tell)
        folder: Path = snapshots_home() / snapshot.path
        written = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
        shutil.rmtree(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.perf_counter() - began, _processor() - before, peak, written)


def _tell(words: str) -> None:
    """What the build says, with the peak of memory so far: that shows which table grows."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.perf_counter():9.1f} s {peak:5.0f} MB  {words}", file=sys.stderr, flush=True)


def _processor() -> float:
    """Seconds of this process and of those it waited for. PostgreSQL's are not among them."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


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
    print(
        f"{'steps':>10} {'read':>9} {'processor':>9} {'build':>9} {'processor':>9} {'ratio':>6} {'peak':>8}"
        f" {'written':>9} {'steps/s':>8} {'load':>5}"
    )
    done = 0
    for steps in chosen.steps:
        battles = steps // (2 * STEPS_A_LANE)
        fill(done + 1, battles, distinct=chosen.distinct)
        done = battles
        read = in_a_process("read", 1)
        build = in_a_process("build", chosen.processes)
        print(
            f"{steps:10,} {read.seconds:7.1f} s {read.processor:7.1f} s {build.seconds:7.1f} s {build.processor:7.1f} s"
            f" {build.seconds / read.seconds:5.1f}x {build.peak:5.0f} MB {build.written:6.1f} MB"
            f" {steps / build.seconds:8.0f} {os.getloadavg()[0]:5.1f}",
            flush=True,
        )
    print(f"{chosen.processes} processes redact. Of the processor: this side alone, without PostgreSQL.")


if __name__ == "__main__":
    main()
