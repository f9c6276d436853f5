"""Reading a corpus and refitting it whole: what ``bench.ratings --database`` runs.

The reader of the arena, which also applies every rule of exclusion and looks at both lanes, against Django's
``values_list`` of the stored columns behind the same labels, row by row, without any of that. The refit from the
corpus to the stored publication, taken back each time, against the headline fit alone. Each case has a process of its
own and they take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import django
import numpy as np
from django.core.management import call_command
from django.db import connection, transaction

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
django.setup()

from bench.ratings_processes import Timing, load, measure, median, quartiles  # noqa: E402  # after Django is set up
from bench.ratings_rows import fill  # noqa: E402
from bench.ratings_turn import Found, take_turns  # noqa: E402
from judging.models import Vote  # noqa: E402
from ratings.corpus import read_corpus  # noqa: E402
from ratings.headline import fit_headline  # noqa: E402
from ratings.models import Board, Refit  # noqa: E402
from ratings.refit import refit  # noqa: E402
from ratings.variants import rated_votes, seed_of  # noqa: E402

ROUNDS = 3
FASTER, MEMORY_SHARE, REFIT, REFIT_MEGABYTES = 6.0, 5.0, 20.0, 2000.0

#: Where the columns of a label are stored, as far as they can be had by naming them.
STORED = (
    "battle_id",
    "judge_id",
    "battle__agent_a_id",
    "battle__agent_b_id",
    "choice",
    "winner__slot",
    "by_submitter",
    "rubric_id",
    "withdrawn_at",
    "battle__kind",
    "battle__state",
    "battle__leak_scan",
    "battle__pair_probability",
    "battle__created_at",
    "battle__task__category",
    "battle__task__withdrawn_at",
)


def nothing() -> Callable[[], Found]:
    connection.ensure_connection()
    return dict


def corpus() -> Callable[[], Found]:
    def work() -> Found:
        read_corpus(Board.HEADLINE)
        return {}

    return work


def rows() -> Callable[[], Found]:
    def work() -> Found:
        columns = zip(*Vote.objects.order_by("id").values_list(*STORED), strict=True)
        for column in columns:
            np.array(column)
        return {}

    return work


def headline() -> Callable[[], Found]:
    read = read_corpus(Board.HEADLINE)
    votes = rated_votes(read)

    def work() -> Found:
        fit_headline(votes, read.agents, seed=seed_of(read))
        return {}

    return work


def whole() -> Callable[[], Found]:
    def work() -> Found:
        with transaction.atomic():
            run = refit(board=Board.HEADLINE, actor="system:bench")
            if run.outcome != Refit.Outcome.PUBLISHED:
                raise SystemExit(f"The refit published nothing: {run.reason}")
            transaction.set_rollback(True)
        return {}

    return work


CASES: dict[str, Callable[[], Callable[[], Found]]] = {
    "nothing": nothing,
    "the corpus": corpus,
    "values_list": rows,
    "the headline fit": headline,
    "the whole refit": whole,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--votes", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.case:
        take_turns({"python": platform.python_version(), "numpy": np.__version__}, CASES[chosen.case]())
        return
    votes = filled(chosen.votes)
    print(f"{votes:,} votes, {chosen.rounds} rounds after the first call; {load()}", flush=True)
    command = [sys.executable, "-m", "bench.ratings_database", "--case"]
    timings = measure({name: [*command, name] for name in CASES}, chosen.rounds)
    print_timings(timings)
    print(f"Afterwards: {load()}")
    found = compared(timings)
    for row in found:
        print(f"{row['what']:62} {row['ratio']:8.2f}   target {row['target']:<10} {'met' if row['met'] else 'MISSED'}")
    if chosen.json:
        report = {"votes": votes, "cases": {name: asdict(each) for name, each in timings.items()}, "targets": found}
        chosen.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def filled(votes: int) -> int:
    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM battles_battle), version()")
        used, version = cursor.fetchone()
    if used:
        sys.exit("There are battles in this database. Please run it with bin/on-a-fresh-database.")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {version.split(' on ')[0]}", flush=True)
    began = time.perf_counter()
    number = fill(votes)
    print(f"Wrote the rows in {time.perf_counter() - began:.0f} s.", flush=True)
    connection.close()
    return number


def compared(timings: dict[str, Timing]) -> list[dict[str, Any]]:
    """Each ratio with its target; memory is what a process needs above one that only has a connection."""
    read, listed = timings["the corpus"], timings["values_list"]
    fit, refitted = timings["the headline fit"], timings["the whole refit"]
    idle = timings["nothing"].peak_megabytes
    faster = median([one / other for one, other in zip(listed.walls, read.walls, strict=True)])
    less = (listed.peak_megabytes - idle) / (read.peak_megabytes - idle)
    times = median([one / other for one, other in zip(refitted.walls, fit.walls, strict=True)])
    peak = refitted.peak_megabytes
    return [
        row("values_list takes so many times as long as the corpus", faster, f">= {FASTER:.0f}", faster >= FASTER),
        row("and so many times its memory", less, f">= {MEMORY_SHARE:.0f}", less >= MEMORY_SHARE),
        row("the refit takes so many times as long as the headline fit", times, f"<= {REFIT:.0f}", times <= REFIT),
        row("and so many MB", peak, f"< {REFIT_MEGABYTES:.0f}", peak < REFIT_MEGABYTES),
    ]


def row(what: str, ratio: float, target: str, met: bool) -> dict[str, Any]:
    return {"what": what, "ratio": ratio, "target": target, "met": met}


def print_timings(timings: dict[str, Timing]) -> None:
    print(f"{'seconds':30} {'first':>9} {'warm':>9} {'quartiles':>19} {'processor':>10} {'MB peak':>8}")
    for name, timing in timings.items():
        low, high = quartiles(timing.walls)
        spread = f"{low:.3f} to {high:.3f}"
        print(
            f"{name:30} {timing.first:9.3f} {median(timing.walls):9.3f} {spread:>19} {median(timing.cpus):10.3f}"
            f" {timing.peak_megabytes:8.0f}"
        )


if __name__ == "__main__":
    main()
