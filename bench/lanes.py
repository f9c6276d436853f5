"""What a lane's step costs: ``bin/on-a-fresh-database .venv/bin/python -m bench.lanes [--browsergym-python PYTHON]``.

Ours is what a lane really does for one action: aim, act, come to rest, look (screenshot, elements, fingerprint) and
write the step and its frame down with the recorder, in PostgreSQL and on the disk. Rivals, in turn with it, round by
round, on the same page:

- the floor: bare Playwright, ``page.click`` + one ``page.evaluate`` + ``page.screenshot``, as PNG by default and as
  the JPEG that lanes take;
- BrowserGym's ``env.step``, with its delays set to zero and as it comes. It pins an old Playwright, so it needs an
  environment of its own: ``python3 -m venv rival && rival/bin/pip install browsergym-core``, then
  ``--browsergym-python rival/bin/python``. Without the option it is left out.

Also: two lanes on two cores against one, the time to a new lane's start page, and a lane's memory. Only ratios hold on
a shared machine; the load is printed beside them.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import django
from django.core.management import call_command
from django.db import connection, connections

from battles.lanes.actions import perform
from battles.lanes.browser import LaneBrowser
from battles.lanes.chromium import chromium_for_lane, find_chromium, user_agent
from battles.lanes.egress import EgressProxy
from battles.lanes.events import Action, StepTaken
from battles.lanes.going import open_start_page
from battles.lanes.processes import descendants
from battles.lanes.runtime_dir import lane_runtime_dir
from battles.lanes.screenshots import JPEG_QUALITY
from battles.lanes.validation import Request, validate
from battles.lanes.viewing import View

T = TypeVar("T")

HOST = "bench.practice.test"

#: Products on the page; with them it has some 1,000 elements, as many as an ordinary page.
PRODUCTS = 160

#: A page as shops have them: a head, products with links and words, a form, and one button that does something.
PAGE = (
    "<!doctype html><title>Bench</title><style>article{display:inline-block;width:280px;margin:8px;padding:8px;"
    "border:1px solid #ccc}body{font:16px sans-serif}</style><header><a href=/>Home</a> <a href=/a>Offers</a>"
    "<form><input placeholder=Search><select><option>All<option>New</select></form></header>"
    "<button id=add onclick='count.textContent=+count.textContent+1'>Add</button> <b id=count>0</b><main>"
    + "".join(
        f"<article><h3><a href=/item/{number}>Product {number}</a></h3><p>A few words on product {number}, its size "
        f"and its colour.</p><b>{number}.90</b> <button>Choose {number}</button></article>"
        for number in range(PRODUCTS)
    )
    + "</main>"
).encode()

#: The most that is wanted: against bare Playwright; the least against BrowserGym without and with its delays.
FLOOR_TARGET, ZEROED_TARGET, DEFAULT_TARGET = 2.0, 5.0, 10.0
PAIR_TARGET, PAIR_SPREAD, READY_TARGET, MEMORY_TARGET = 1.3, 0.10, 0.6, 450


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)


@contextlib.contextmanager
def site() -> Iterator[str]:
    """The page's server; yields its ``address:port``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@dataclass
class OpenLane:
    """A lane with its start page up, and what it took."""

    browser: LaneBrowser
    view: View
    pid: int
    ready_seconds: float
    number: int = 0

    async def step(self) -> StepTaken:
        """One action and its look, as the loop of a lane makes them."""
        reference = next(element.ref for element in self.view.elements if element.name == "Add")
        action = Action("click", {"ref": reference})
        request = validate(action)
        if not isinstance(request, Request):
            raise SystemExit(f"the step is none: {request.message}")
        before, began = self.view, time.perf_counter()
        done = await perform(self.browser, request)
        acted = time.perf_counter()
        self.view = await self.browser.observe()
        if not done.result.ok or self.view.digest == before.digest:
            raise SystemExit(f"the step did nothing: {done.result.message}")
        self.number += 1
        return StepTaken(
            slot="A",
            number=self.number,
            action=action,
            reasoning="",
            result=done.result,
            charged=True,
            frame=self.view.frame,
            url_before=before.url,
            url_after=self.view.url,
            title=self.view.title,
            tabs=len(self.view.tabs),
            page_before=before.digest,
            page_after=self.view.digest,
            target=done.target,
            refusals=self.browser.take_refusals(),
            observe_ms=round((time.perf_counter() - acted) * 1000),
            model_ms=0,
            act_ms=round((acted - began) * 1000),
            clock=time.perf_counter(),
            model_called=False,
            usage=None,
        )


@contextlib.asynccontextmanager
async def open_lane(address: str, folder: Path) -> AsyncIterator[OpenLane]:
    """A whole lane: proxy, browser with all its protections, start page."""
    folder.mkdir(mode=0o711, exist_ok=True)
    folder.chmod(0o711)
    async with EgressProxy({f"{HOST}:80": address}, folder) as proxy, chromium_for_lane(proxy, folder) as launched:
        began = time.perf_counter()
        browser = LaneBrowser(launched.context, drain_refusals=proxy.drain_refusals)
        await browser.start()
        opened = await open_start_page(browser, f"http://{HOST}/")
        if not opened.ok:
            raise SystemExit(opened.message)
        view = await browser.observe()
        yield OpenLane(browser, view, launched.pid, time.perf_counter() - began)


class Rival:
    """BrowserGym in a process of its own; ``step()`` gives the milliseconds of one of its steps."""

    def __init__(self, python: str, address: str, slow_mo: str, delay: str) -> None:
        script = Path(__file__).with_name("browsergym_rival.py")
        command = [python, str(script), f"http://{address}/", str(find_chromium()), slow_mo, delay]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.versions: dict[str, str] = self._answer()

    def _answer(self) -> Any:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise SystemExit("BrowserGym did not answer; is browsergym-core installed for that Python?")
        return json.loads(line)

    def step(self) -> float:
        if self._process.stdin is None:
            raise SystemExit("BrowserGym is gone")
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._answer())

    def close(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()


@dataclass
class Samples:
    """Milliseconds by what took them, kept round by round so that ratios can be taken within a round."""

    rounds: list[dict[str, list[float]]] = field(default_factory=list)

    def begin(self) -> None:
        self.rounds.append({})

    def add(self, name: str, milliseconds: float) -> None:
        self.rounds[-1].setdefault(name, []).append(milliseconds)

    def all(self, name: str) -> list[float]:
        return [each for rounded in self.rounds for each in rounded.get(name, ())]

    def ratio(self, name: str, to: str) -> tuple[float, float, float]:
        """Median, least and greatest over the rounds of one's median in another's."""
        ratios = [
            statistics.median(rounded[name]) / statistics.median(rounded[to])
            for rounded in self.rounds
            if name in rounded and to in rounded
        ]
        return statistics.median(ratios), min(ratios), max(ratios)


OURS, UNWRITTEN, PNG, JPEG = "lane, step written", "lane, not written", "bare Playwright", "bare Playwright, JPEG"
ZEROED, DEFAULT = "BrowserGym, no delays", "BrowserGym"


async def steps(
    address: str, folder: Path, rounds: int, each: int, rival_python: str
) -> tuple[Samples, dict[str, str]]:
    """All the kinds of step in turn; the rival's versions."""
    samples = Samples()
    versions: dict[str, str] = {}
    with ThreadPoolExecutor(1) as database:
        loop = asyncio.get_running_loop()
        # Imported now: models are there only after Django is set up.
        recording = importlib.import_module("bench.lane_recording")
        recorder = await loop.run_in_executor(database, recording.make_recorder)
        async with open_lane(address, folder) as lane:
            page = (await lane.browser.front()).page

            async def unwritten() -> None:
                await lane.step()

            async def written() -> None:
                taken = await lane.step()
                await loop.run_in_executor(database, recorder.write, taken)

            async def bare(**picture: Any) -> None:
                await page.click("#add")
                await page.evaluate("document.title")
                await page.screenshot(**picture)

            kinds: dict[str, Callable[[], Awaitable[None]]] = {
                OURS: written,
                UNWRITTEN: unwritten,
                PNG: bare,
                JPEG: lambda: bare(type="jpeg", quality=JPEG_QUALITY),
            }
            for kind in kinds.values():
                await kind()
            for settings, name, rival_each in ((("0", "0"), ZEROED, each), (("default", "default"), DEFAULT, 1)):
                rival = await asyncio.to_thread(Rival, rival_python, address, *settings) if rival_python else None
                for number in range(rounds if name == ZEROED else max(3, rounds // 3)):
                    samples.begin()
                    for kind_name in rotated(list(kinds), number):
                        for _ in range(each):
                            samples.add(kind_name, await timed(kinds[kind_name]))
                    for _ in range(rival_each if rival else 0):
                        samples.add(name, await asyncio.to_thread(rival.step))  # type: ignore[union-attr]  # the range is empty without one
                if rival:
                    versions = rival.versions
                    rival.close()
                else:
                    break
        await loop.run_in_executor(database, connections.close_all)
    return samples, versions


async def timed(work: Callable[[], Awaitable[None]]) -> float:
    """Milliseconds that one call takes."""
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


def rotated(names: list[str], number: int) -> list[str]:
    """Another order in each round, so that no kind always follows the same one."""
    shift = number % len(names)
    return names[shift:] + names[:shift]


class LaneThread:
    """A lane in a thread with an event loop of its own, as a race runs it."""

    def __init__(self, address: str, folder: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._lane = open_lane(address, folder)
        began = time.perf_counter()
        self.lane: OpenLane = self.run(self._lane.__aenter__())
        self.up_seconds = time.perf_counter() - began - self.lane.ready_seconds

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(300)

    def begin(self, count: int) -> Any:
        return asyncio.run_coroutine_threadsafe(self._steps(count), self._loop)

    async def _steps(self, count: int) -> list[float]:
        taken = []
        for _ in range(count):
            began = time.perf_counter()
            await self.lane.step()
            taken.append((time.perf_counter() - began) * 1000)
        return taken

    def close(self) -> None:
        self.run(self._lane.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


def pss_megabytes(pid: int) -> float:
    """Proportional memory of a process and all below it."""
    total = 0
    for each in (pid, *descendants([pid])):
        with contextlib.suppress(OSError), open(f"/proc/{each}/smaps_rollup", encoding="ascii") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total / 1024


@dataclass
class Pair:
    """Steps per second alone and in a pair, round by round; medians of the pair's lanes; readiness and memory."""

    alone: list[float] = field(default_factory=list)
    both: list[float] = field(default_factory=list)
    medians: list[tuple[float, float]] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def pair(address: str, folder: Path, rounds: int, count: int) -> Pair:
    """Two lanes side by side against one of them alone, in turn."""
    found = Pair()
    lanes: list[LaneThread] = []
    try:
        for slot in "AB":
            lanes.append(LaneThread(address, folder / slot))
        for lane in lanes:
            lane.begin(2).result(300)
        for number in range(rounds):
            began = time.perf_counter()
            lanes[number % 2].begin(count).result(300)
            found.alone.append(count / (time.perf_counter() - began))
            began = time.perf_counter()
            one, other = (running.result(300) for running in [lane.begin(count) for lane in lanes])
            found.both.append(2 * count / (time.perf_counter() - began))
            found.medians.append((statistics.median(one), statistics.median(other)))
        found.memory = [pss_megabytes(lane.lane.pid) for lane in lanes]
        found.ready = [lane.lane.ready_seconds for lane in lanes]
    finally:
        for lane in lanes:
            lane.close()
    return found


def verdict(good: bool) -> str:
    return "reached" if good else "MISSED"


def print_steps(samples: Samples) -> None:
    print(f"{'one step, ms':26}{'median':>8}{'10%':>8}{'90%':>8}{'n':>5}")
    for name in (UNWRITTEN, OURS, PNG, JPEG, ZEROED, DEFAULT):
        if times := samples.all(name):
            low, *_, high = statistics.quantiles(times, n=10)
            print(f"{name:26}{statistics.median(times):8.1f}{low:8.1f}{high:8.1f}{len(times):5}")
    print(f"\n{'ratio, by round':48}{'median':>8}{'least':>8}{'most':>8}   target")
    for name, to in ((UNWRITTEN, PNG), (OURS, PNG), (UNWRITTEN, JPEG), (OURS, JPEG)):
        middle = print_ratio(samples, name, to)
        print(f"<= {FLOOR_TARGET:.1f}  {verdict(middle <= FLOOR_TARGET)}")
    for name, target in ((ZEROED, ZEROED_TARGET), (DEFAULT, DEFAULT_TARGET)):
        if samples.all(name):
            middle = print_ratio(samples, name, OURS)
            print(f">= {target:.0f}  {verdict(middle >= target)}")


def print_ratio(samples: Samples, name: str, to: str) -> float:
    middle, least, most = samples.ratio(name, to)
    print(f"{name + ' / ' + to:48}{middle:8.2f}{least:8.2f}{most:8.2f}", end="   ")
    return middle


def print_pair(found: Pair) -> None:
    gains = [both / alone for both, alone in zip(found.both, found.alone, strict=True)]
    gain, ready, memory = statistics.median(gains), statistics.median(found.ready), max(found.memory)
    apart = statistics.median(abs(one - other) / min(one, other) for one, other in found.medians)
    print(f"\nsteps per second: one lane {statistics.median(found.alone):.1f}, two {statistics.median(found.both):.1f}")
    rows = (
        (
            f"two lanes / one: {gain:.2f} ({min(gains):.2f} to {max(gains):.2f})",
            f">= {PAIR_TARGET}",
            gain >= PAIR_TARGET,
        ),
        (f"medians of the two lanes apart by {apart:.0%}", f"<= {PAIR_SPREAD:.0%}", apart <= PAIR_SPREAD),
        (f"start page ready {ready:.2f} s after the browser is up", f"<= {READY_TARGET} s", ready <= READY_TARGET),
        (f"memory of a lane's browser {memory:.0f} MB PSS", f"<= {MEMORY_TARGET} MB", memory <= MEMORY_TARGET),
    )
    for what, target, good in rows:
        print(f"{what:60}{target:>12}  {verdict(good)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--each", type=int, default=6, help="steps of each kind in a round")
    parser.add_argument("--browsergym-python", default="", help="a Python that has browsergym-core")
    chosen = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
    django.setup()
    call_command("migrate", verbosity=0)
    load = os.getloadavg()
    with site() as address, lane_runtime_dir() as folder:
        samples, rival = asyncio.run(
            steps(address, folder / "steps", chosen.rounds, chosen.each, chosen.browsergym_python)
        )
        found = pair(address, folder, max(3, chosen.rounds // 2), chosen.each * 4)
    chromium = user_agent(find_chromium()).split(") ")[-1].split()[0]
    postgres = connection.cursor().connection.info.server_version // 10_000
    print(f"Python {sys.version.split()[0]}, Playwright {version('playwright')}, {chromium}, PostgreSQL {postgres}")
    print(f"{platform.machine()}, {os.cpu_count()} cores; rival: {rival or 'left out'}")
    print(f"load before {load[0]:.1f}, after {os.getloadavg()[0]:.1f} (this run's own included)\n")
    print_steps(samples)
    print_pair(found)


if __name__ == "__main__":
    main()
