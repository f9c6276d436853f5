"""Our fits against arena-rank and evalica, on the same votes, in turn: ``python -m bench.ratings``.

Every case of every tool has a process of its own, so that its peak memory is its own. The processes stay, and are
asked one after the other, round by round: whatever else the machine does meets all of them. A ratio is taken within a
round, and its median and quartiles over the rounds are printed; on a shared machine only ratios hold, and the load is
printed beside them. The rivals are installed from ``bench/requirements.txt`` into ``.arena/bench-venv``.

``--database`` measures the reading of the corpus and the whole refit instead, and needs a database that is thrown away:
``bin/on-a-fresh-database .venv/bin/python -m bench.ratings --database``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import venv
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.ratings_processes import Timing, largest_difference, load, measure, median, quartiles

CHECKOUT = Path(__file__).parent.parent
RIVALS = CHECKOUT / ".arena" / "bench-venv"
REQUIREMENTS = CHECKOUT / "bench" / "requirements.txt"

SIZES = [10_000, 1_000_000, 5_000_000]
QUICK_SIZES = [10_000, 100_000]
JUDGES = 100_000
#: From so many votes on there are 300 agents, and only the cases that have a target there.
LARGE, LARGE_AGENTS, AGENTS = 5_000_000, 300, 100
ROUNDS, LARGE_ROUNDS = 3, 2

OURS = [
    "ours, strengths alone",
    "ours, unclustered",
    "ours, clustered",
    "ours, style",
    "ours, bootstrap",
    "ours, judge and battle",
    "ours, whole headline",
]
THEIRS = [
    "arena-rank",
    "arena-rank, strings",
    "arena-rank, style",
    "arena-rank, bootstrap",
    "evalica",
    "evalica, bootstrap",
]
LARGE_CASES = ["ours, unclustered", "ours, clustered", "ours, style", "arena-rank"]


@dataclass(frozen=True)
class Target:
    """At least so many times as fast, or as little memory, as a rival."""

    ours: str
    rival: str
    what: str
    least: float


TARGETS = {
    1_000_000: (
        Target("ours, clustered", "arena-rank", "warm", 20),
        Target("ours, clustered", "arena-rank", "first", 60),
        Target("ours, clustered", "arena-rank", "memory", 4),
        Target("ours, clustered", "evalica", "warm", 5),
        Target("ours, unclustered", "arena-rank", "warm", 200),
        Target("ours, style", "arena-rank, style", "warm", 18),
        Target("ours, bootstrap", "evalica, bootstrap", "warm", 150),
        Target("ours, bootstrap", "arena-rank, bootstrap", "warm", 500),
    ),
    LARGE: (Target("ours, clustered", "arena-rank", "warm", 12),),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--votes", type=int, nargs="+", help=f"how many; by default {SIZES}")
    parser.add_argument("--rounds", type=int, help="turns of each case after its first")
    parser.add_argument("--quick", action="store_true", help=f"two rounds of {QUICK_SIZES} votes")
    parser.add_argument("--json", type=Path, help="write everything that was measured to this file")
    parser.add_argument("--database", action="store_true", help="measure reading and refitting instead")
    chosen = parser.parse_args()
    if chosen.database:
        # It measures in a module of its own, so that nothing here waits for Django.
        command = [sys.executable, "-m", "bench.ratings_database", *_passed_on(chosen)]
        sys.exit(subprocess.run(command, check=False).returncode)
    rivals = rivals_python()
    report: dict[str, Any] = {"machine": machine(), "sizes": {}}
    for line in report["machine"].values():
        print(line)
    for votes in chosen.votes or (QUICK_SIZES if chosen.quick else SIZES):
        rounds = chosen.rounds or (LARGE_ROUNDS if votes >= LARGE or chosen.quick else ROUNDS)
        report["sizes"][votes] = one_size(votes, rounds, rivals)
    if chosen.json:
        chosen.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _passed_on(chosen: argparse.Namespace) -> list[str]:
    votes = chosen.votes or [100_000 if chosen.quick else 1_000_000]
    given = ["--votes", str(votes[0])]
    given += ["--rounds", str(chosen.rounds)] if chosen.rounds else []
    return given + (["--json", str(chosen.json)] if chosen.json else [])


def rivals_python() -> Path:
    """The Python of the rivals' environment, which is made when it is missing or the requirements have changed."""
    python, stamp = RIVALS / "bin" / "python", RIVALS / "requirements.txt"
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == wanted):
        print(f"Installing the rivals into {RIVALS.relative_to(CHECKOUT)}.", flush=True)
        venv.create(RIVALS, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def machine() -> dict[str, str]:
    """What a figure cannot be read without; every process has the same environment as this one."""
    tuned = {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith(("OPENBLAS_", "OMP_", "MKL_", "XLA_")) or name == "NVPL_BLAS_DEBUG_CPU_TYPE"
    }
    said = ", ".join(f"{name}={value}" for name, value in tuned.items()) or "nothing"
    return {
        "platform": f"{platform.machine()}, {os.cpu_count()} cores, {load()}",
        "threads": "BLAS threads: ours 1, as in the arena; the rivals as many as they take",
        "environment": f"Set for the linear algebra of every tool alike: {said}",
    }


def one_size(votes: int, rounds: int, rivals: Path) -> dict[str, Any]:
    agents = LARGE_AGENTS if votes >= LARGE else AGENTS
    names = LARGE_CASES if votes >= LARGE else OURS + THEIRS
    with tempfile.TemporaryDirectory() as folder:
        sizes = [str(votes), str(agents), str(JUDGES), folder]
        subprocess.run([sys.executable, "-m", "bench.simulated_votes", *sizes], check=True, cwd=CHECKOUT)
        commands = {name: command_of(name, folder, rivals) for name in names}
        print(f"\n{votes:,} votes, {agents} agents, {rounds} rounds after the first call; {load()}", flush=True)
        timings = measure(commands, rounds)
    print_timings(timings)
    print(f"Afterwards: {load()}")
    print_versions(timings)
    print_differences(timings)
    found = [compared(target, timings) for target in TARGETS.get(votes, TARGETS[1_000_000]) if target.rival in timings]
    print_targets(found, judged=votes in TARGETS)
    return {"cases": {name: asdict(timing) for name, timing in timings.items()}, "targets": found}


def command_of(name: str, folder: str, rivals: Path) -> list[str]:
    if name in OURS:
        return [sys.executable, "-m", "bench.ratings_ours", name, folder]
    module = "ratings_evalica.py" if name.startswith("evalica") else "ratings_arena_rank.py"
    return [str(rivals), str(CHECKOUT / "bench" / module), name, folder]


def compared(target: Target, timings: dict[str, Timing]) -> dict[str, Any]:
    """The ratio of a target: within each round, or of the two numbers that there are."""
    ours, rival = timings[target.ours], timings[target.rival]
    processor = None
    if target.what == "warm":
        ratios = [one / other for one, other in zip(rival.walls, ours.walls, strict=True)]
        processor = median([one / other for one, other in zip(rival.cpus, ours.cpus, strict=True)])
    elif target.what == "first":
        ratios, processor = [rival.first / ours.first], rival.first_cpu / ours.first_cpu
    else:
        ratios = [rival.peak_megabytes / ours.peak_megabytes]
    return {**asdict(target), "ratios": ratios, "processor": processor, "met": median(ratios) >= target.least}


def print_timings(timings: dict[str, Timing]) -> None:
    print(f"{'seconds':30} {'first':>9} {'warm':>9} {'quartiles':>19} {'processor':>10} {'MB peak':>8}")
    for name, timing in timings.items():
        low, high = quartiles(timing.walls)
        spread = f"{low:.4f} to {high:.4f}"
        print(
            f"{name:30} {timing.first:9.4f} {median(timing.walls):9.4f} {spread:>19} {median(timing.cpus):10.4f}"
            f" {timing.peak_megabytes:8.0f}"
        )


def print_versions(timings: dict[str, Timing]) -> None:
    for tool in ("ours", "arena-rank", "evalica"):
        found = next((timing.versions for name, timing in timings.items() if name.startswith(tool)), None)
        if found is not None:
            print(f"{tool}: " + ", ".join(f"{name} {number}" for name, number in found.items()))


def print_differences(timings: dict[str, Timing]) -> None:
    """That the tools answer the same question, in points; ours is the exact maximum to rounding."""
    for rival, ours in (
        ("arena-rank", "ours, unclustered"),
        ("arena-rank, style", "ours, style"),
        ("evalica", "ours, unclustered"),
    ):
        if rival in timings:
            found, exact = timings[rival].found, timings[ours].found
            print(f"{rival}: points differ from ours by up to {largest_difference(found, exact, 'points'):.2g}", end="")
            if rival == "arena-rank":
                print(f", unclustered errors by up to {largest_difference(found, exact, 'errors'):.2g}", end="")
            print()


def print_targets(found: list[dict[str, Any]], *, judged: bool) -> None:
    if not judged:
        print("No targets at this size; the ratios of the larger ones:")
    print(f"{'':58} {'ratio':>8} {'quartiles':>17} {'processor':>10} {'target':>7}")
    for row in found:
        low, high = quartiles(row["ratios"])
        spread = f"{low:.1f} to {high:.1f}" if len(row["ratios"]) > 1 else ""
        processor = "" if row["processor"] is None else f"{row['processor']:.1f}"
        verdict = f"{row['least']:7.0f} {'met' if row['met'] else 'MISSED'}" if judged else ""
        what = f"{row['ours']} against {row['rival']}, {row['what']}"
        print(f"{what:58} {median(row['ratios']):8.1f} {spread:>17} {processor:>10} {verdict}")
    if judged:
        missed = [f"{row['ours']} against {row['rival']}, {row['what']}" for row in found if not row["met"]]
        print(f"Missed: {'; '.join(missed)}." if missed else "All targets are met.")


if __name__ == "__main__":
    main()
