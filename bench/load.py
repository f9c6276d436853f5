"""The site under load, on loopback: cached documents against the bare framework, judges who vote, watchers of a race.

    bin/on-a-fresh-database .venv/bin/python -m bench.load
    bin/on-a-fresh-database .venv/bin/python -m bench.load --minutes 1

The site is served as in production, by the same words; the bare framework by the same server in the same way. Both are
asked in turn by ``wrk``, which Debian packages. Judges arrive by chance, 200 at work at once in the mean, and 50 people
watch a race that is recorded meanwhile. At the end every accepted vote is looked up in the database. All of it shares
this machine with the clients, so that only ratios hold.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
os.environ.setdefault("ARENA_LEGAL_NAME", "Bench Arena Ltd")
# Every request of the clients would be a line.
os.environ.setdefault("ARENA_LOG_LEVEL", "WARNING")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from arena_site.supervisor import first_page_status, web_program, worker_program  # noqa: E402
from bench.load_board import LoadBoard, WatchedRaces, make_board  # noqa: E402
from bench.load_clients import Crowd, Told  # noqa: E402
from judging.identity import COOKIE  # noqa: E402
from judging.models import Vote  # noqa: E402

ROUNDS, WRK_SECONDS, CONNECTIONS = 3, 6, 8
#: Judges at work at once in the mean, and the seconds that one keeps a battle: three take one in two seconds.
JUDGES, THINKS = 200, 120.0
WATCHERS = 50
SPARE_JUDGES = 200
LATENCY = re.compile(r"^\s+(50|99)%\s+([0-9.]+)(us|ms|s)\s*$", re.MULTILINE)
RATE = re.compile(r"^Requests/sec:\s+([0-9.]+)", re.MULTILINE)
WRONG = re.compile(r"Non-2xx or 3xx responses: (\d+)")
TO_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(words: Sequence[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, *words], env=os.environ | environment, stdout=file, stderr=file, start_new_session=True
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def wait_for(port: int, path: str = "/") -> None:
    for _ in range(300):
        if first_page_status(port):
            return
        time.sleep(0.2)
    raise SystemExit(f"Nothing answers on port {port}.")


def hammer(address: str, header: str = "") -> tuple[float, float, float]:
    """Requests per second, and the median and 99th percentile in ms, of eight connections that never rest."""
    words = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{WRK_SECONDS}s", "--latency"]
    told = subprocess.run(
        [*words, *(["--header", header] if header else []), address], check=True, capture_output=True, text=True
    ).stdout
    rate, wrong = RATE.search(told), WRONG.search(told)
    assert rate is not None, told
    assert wrong is None, f"{address} answered wrongly {wrong[1]} times" if wrong else ""
    found = {share: float(value) * TO_MS[unit] for share, value, unit in LATENCY.findall(told)}
    return float(rate[1]), found["50"], found["99"]


def floor(site: str, bare: str, board: LoadBoard) -> None:
    """Cached documents beside the bare framework's view of the same bytes, in turn."""
    publication = f"{site}/publications/{board.publication}.json"
    etag = etag_of(publication)
    cases = {
        "publication, 200": (publication, ""),
        "publication, 304": (publication, f"If-None-Match: {etag}"),
        "bare, JsonResponse of the document": (f"{bare}/dumped", ""),
        "bare, the stored bytes": (f"{bare}/stored", ""),
        "bare, JsonResponse of one word": (f"{bare}/small", ""),
    }
    seen: dict[str, list[tuple[float, float, float]]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, (address, header) in cases.items():
            seen[name].append(hammer(address, header))
    middle = {name: tuple(map(statistics.median, zip(*rounds, strict=True))) for name, rounds in seen.items()}
    print(
        f"\nA document of {len(board.document.encode()) / 1000:,.0f} kB, {CONNECTIONS} connections that never rest.\n"
    )
    print("| what | requests/s (all rounds) | p50 | p99 |\n|---|---|---|---|")
    for name, (_, p50, p99) in middle.items():
        rates = ", ".join(f"{rate:,.0f}" for rate, _, _ in seen[name])
        print(f"| {name} | {rates} | {p50:.1f} ms | {p99:.1f} ms |")
    print("\n| ratio | requests/s | target | p99 | target |\n|---|---|---|---|---|")
    for ours, rival, target in (
        ("publication, 200", "bare, JsonResponse of the document", "0.5"),
        ("publication, 200", "bare, the stored bytes", "0.5"),
        ("publication, 304", "bare, JsonResponse of the document", "1.0"),
        ("publication, 304", "bare, the stored bytes", "1.0"),
        ("publication, 304", "bare, JsonResponse of one word", "1.0"),
    ):
        rate, p99 = middle[ours][0] / middle[rival][0], middle[ours][2] / middle[rival][2]
        print(f"| {ours} / {rival} | {rate:.2f}x | {target} | {p99:.2f}x | 3 |")


def etag_of(address: str) -> str:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).headers['ETag'])",
            address,
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return told.stdout.strip()


async def people(site: str, board: LoadBoard, races: WatchedRaces, minutes: float) -> dict[str, Told]:
    """One watcher, then fifty, then everybody at once, then all votes in the same instant."""
    told: dict[str, Told] = {}

    async def phase(name: str, judges: list[str], *work: str) -> None:
        crowd = Crowd(site, COOKIE, judges)
        doing = {
            "one": lambda: crowd.watch_for(40, 1, lambda: races.battle),
            "fifty": lambda: crowd.watch_for(40, WATCHERS, lambda: races.battle),
            "watch": lambda: crowd.watch_for(minutes * 60, WATCHERS, lambda: races.battle),
            "judge": lambda: crowd.judge_for(minutes * 60, every=THINKS * 1.1 / JUDGES, thinks=THINKS),
            "burst": lambda: crowd.all_at_once(judges),
        }
        await asyncio.gather(*(doing[part]() for part in work))
        await crowd.close()
        told[name] = crowd.told
        print_told(name, crowd.told)

    at_work, spare = board.judges[:-SPARE_JUDGES], board.judges[-SPARE_JUDGES:]
    await phase("one watcher", [], "one")
    await phase(f"{WATCHERS} watchers", [], "fifty")
    await phase(f"{JUDGES} judges and {WATCHERS} watchers, {minutes:g} min", at_work, "judge", "watch")
    await phase(f"{SPARE_JUDGES} votes in one instant, each sent twice", spare, "burst")
    return told


def print_told(name: str, told: Told) -> None:
    print(f"\n{name}\n\n| request | number | p50 | p90 | p99 | longest |\n|---|---|---|---|---|---|")
    for kind, seconds in sorted(told.seconds.items()):
        order = sorted(seconds)
        p50, p90, p99 = (1000 * order[min(len(order) - 1, int(share * len(order)))] for share in (0.5, 0.9, 0.99))
        print(f"| {kind} | {len(order):,} | {p50:.0f} ms | {p90:.0f} ms | {p99:.0f} ms | {1000 * order[-1]:.0f} ms |")
    print(
        "Wrong answers: " + (", ".join(f"{what} ({times})" for what, times in told.wrong.items()) or "none"), flush=True
    )


def check_votes(told: dict[str, Told]) -> bool:
    """Whether every accepted vote is in the database once, final where it was locked, and nothing else is there."""
    voted = {(path.rsplit("/", 1)[1], judge.split(":")[0]) for part in told.values() for path, judge in part.voted}
    locked = {(path.rsplit("/", 1)[1], judge.split(":")[0]) for part in told.values() for path, judge in part.locked}
    rows = [
        (str(battle), judge, at)
        for battle, judge, at in Vote.objects.filter(
            judge__pk__startswith="loadjudge", battle__kind="live"
        ).values_list("battle_id", "judge_id", "locked_at")
    ]
    stored = {(battle, judge) for battle, judge, _ in rows}
    final = {(battle, judge) for battle, judge, at in rows if at is not None}
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT count(*) FROM (SELECT battle.id FROM battles_battle battle JOIN judging_vote vote
            ON vote.battle_id = battle.id WHERE battle.kind = 'live' AND NOT vote.by_submitter
            AND vote.judge_id LIKE 'loadjudge%%' GROUP BY battle.id, battle.judges_needed
            HAVING count(*) > battle.judges_needed) AS overfull"""
        )
        overfull = cursor.fetchone()[0]
    lost, unknown, twice = len(voted - stored), len(stored - voted), len(rows) - len(stored)
    print(
        f"\nVotes accepted {len(voted):,}, stored {len(stored):,}: lost {lost}, stored without an answer {unknown}, "
        f"doubled {twice}; locked {len(locked):,}, not final {len(locked - final)}; battles with more votes than seats "
        f"{overfull}."
    )
    return not (lost or twice or overfull or locked - final)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--battles", type=int, default=8000)
    chosen = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("This needs wrk: apt-get install wrk")
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    # More judges than are at work in the mean, so that no arrival waits for one.
    board = make_board(battles=chosen.battles, judges=2 * JUDGES + SPARE_JUDGES)
    with tempfile.TemporaryDirectory() as folder:
        document, logs = Path(folder) / "document.json", Path(folder)
        document.write_text(board.document)
        port, bare_port = free_port(), free_port()
        site_words = web_program(port).words
        bare_words = [word.replace("arena_site.wsgi", "bench.bare_site") for word in web_program(bare_port).words]
        bare = {"BENCH_DOCUMENT": str(document)}
        with (
            serving(site_words, {}, logs / "web.log"),
            serving(bare_words, bare, logs / "bare.log"),
            serving(worker_program("default", 1).words, {}, logs / "default.log"),
        ):
            wait_for(port)
            wait_for(bare_port)
            load = os.getloadavg()[0]
            print(f"Python {sys.version.split()[0]}, Django {django.__version__}, load before {load:.1f}", flush=True)
            floor(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{bare_port}", board)
            races = WatchedRaces()
            races.start()
            while races.battle is None and races.failure is None:
                time.sleep(0.1)
            told = asyncio.run(people(f"http://127.0.0.1:{port}", board, races, chosen.minutes))
            races.end()
        one, fifty = (sorted(told[name].seconds["live refresh"]) for name in ("one watcher", f"{WATCHERS} watchers"))
        p99 = [order[int(0.99 * len(order))] for order in (one, fifty)]
        print(f"\nLive refresh, p99 of {WATCHERS} watchers over that of one: {p99[1] / p99[0]:.2f}x (target 3)")
        failed = sum(sum(part.wrong.values()) for part in told.values())
        whole = check_votes(told)
        tracebacks = (logs / "web.log").read_text().count("Traceback")
        print(f"Tracebacks in the site's log: {tracebacks}. Load at the end: {os.getloadavg()[0]:.1f}.")
        if failed or tracebacks or not whole or races.failure is not None:
            raise SystemExit("Something was wrong; see above.")


if __name__ == "__main__":
    main()
