"""One process that starts, watches and stops all the others of an arena on one machine.

It starts the embedded services and then the web server, the workers and the clock; starts again what ends by itself;
and stops in order: web, workers (a battle that runs is finished, or handed back), clock, services. What it started ends
even when it is killed itself.
"""

from __future__ import annotations

import fcntl
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from arena_site.services import processes
from arena_site.services.embedded import EmbeddedServices, Server
from arena_site.services.processes import ServiceError
from battles.lanes.events import Budget

HOST = "127.0.0.1"
#: How often the children are looked at.
TICK_SECONDS = 0.2
#: A warm stop waits for the longest battle there can be and its last writes; then it is handed back.
DRAIN_SECONDS = Budget().seconds + 30.0
#: A stop that takes longer says why.
PATIENCE_SECONDS = 4.0
#: A child that ends is started again after 0.5, 1, 2, ... seconds, at most this many.
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
#: After running this long its earlier failures are forgotten.
HEALTHY_SECONDS = 60.0
#: A site that has not answered by then, or failed so often, will not without somebody's help.
FIRST_ANSWER_SECONDS = 240.0
FIRST_ANSWER_FAILURES = 5
ANSWER_SECONDS = 10.0
#: Two web processes use two cores; more would only hold more memory on the machine that also runs the lanes.
WEB_PROCESSES = min(2, os.cpu_count() or 1)
#: Requests wait for the database most of the time.
WEB_THREADS = 8

WARM = signal.SIGTERM
#: Celery hands back what it runs and ends.
COLD = signal.SIGQUIT
WEB_ASKS = ((signal.SIGTERM, 15.0),)
COLD_ASKS = ((COLD, 10.0),)
CLOCK_ASKS = ((signal.SIGTERM, 5.0),)


@dataclass(frozen=True, slots=True)
class Program:
    """A child to keep running: its words after the interpreter, and the signal it gets when the supervisor dies."""

    name: str
    words: tuple[str, ...]
    at_supervisors_death: signal.Signals


@dataclass(slots=True)
class Child:
    """A program with what is known of its runs. Times are on the monotonic clock."""

    program: Program
    running: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    due: float = 0.0


@dataclass(slots=True)
class Crew:
    """The children by their part in an orderly stop."""

    web: Child
    workers: list[Child]
    clock: Child

    def all(self) -> list[Child]:
        return [self.web, *self.workers, self.clock]


def web_program(port: int) -> Program:
    words = ("-m", "granian", "--interface", "wsgi", "--host", HOST, "--port", str(port), "--no-ws", "--http", "1")
    size = ("--workers", str(WEB_PROCESSES), "--blocking-threads", str(WEB_THREADS))
    care = ("--respawn-failed-workers", "--respawn-interval", "0.5", "--workers-kill-timeout", "10")
    return Program("web", (*words, *size, *care, "arena_site.wsgi:application"), signal.SIGTERM)


def worker_program(queue: str, processes_at_once: int) -> Program:
    """A worker of one queue. Processes, not threads: what breaks in one battle ends there, and time limits hold."""
    words = ("-m", "celery", "--app", "arena_site.celery", "worker", "--queues", queue, "--hostname", f"{queue}@%h")
    pool = ("--pool", "prefork", "--concurrency", str(processes_at_once), "--prefetch-multiplier", "1")
    # Gossip and mingle are talk between workers that nothing here listens to.
    care = ("--without-gossip", "--without-mingle", "--include", "arena_site.worker_processes")
    return Program(queue, (*words, *pool, *care), COLD)


def clock_program() -> Program:
    words = ("-m", "celery", "--app", "arena_site.celery", "beat", "--pidfile", "")
    return Program("beat", words, signal.SIGTERM)


def crew_for(*, port: int, lane_slots: int, other_slots: int = 2) -> Crew:
    """What runs on one machine.

    Args:
        port: of the site.
        lane_slots: battles at once.
        other_slots: other tasks at once (refits, scans, stock).
    """
    workers = [Child(worker_program("lanes", lane_slots)), Child(worker_program("default", other_slots))]
    return Crew(web=Child(web_program(port)), workers=workers, clock=Child(clock_program()))


def insist_on_free_port(port: int) -> None:
    """Find out before anything is started whether the site can listen on a port.

    Raises:
        ServiceError: something listens there, or it may not be used.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # Connections of an earlier run that are still closing do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError as error:
            raise ServiceError(f"You may not use port {port}. Choose one above 1023: make run PORT=8001") from error
        except OSError as error:
            raise ServiceError(f"Port {port} is taken. Choose another: make run PORT={port + 1}") from error


def take_turn(data: Path, port: int) -> IO[str]:
    """The lock that makes this the only supervisor of a data folder, held for as long as the file is open.

    Raises:
        ServiceError: another one has it.
    """
    file = (data / "supervisor.lock").open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        other = file.read().strip()
        file.close()
        raise ServiceError(f"The arena in {data} runs already: {other}.") from error
    file.truncate(0)
    file.write(f"http://{HOST}:{port} (process {os.getpid()})\n")
    file.flush()
    return file


@dataclass
class Supervisor:
    """Runs a crew until it is told to stop.

    Args:
        services: started already; watched from here on, and stopped at the end.
        crew: what to run beside them.
        port: where the site will answer.
        logs: folder for one log a child; ``None`` lets them print to the terminal.
        folder: where they run.
        say: shows a line to the operator.
        drain_seconds: how long a warm stop waits for battles that run.
    """

    services: EmbeddedServices
    crew: Crew
    port: int
    logs: Path | None
    folder: Path
    say: Callable[[str], None]
    drain_seconds: float = DRAIN_SECONDS
    _asked_to_stop: int = field(default=0, init=False)
    _failed_services: dict[str, tuple[int, float]] = field(default_factory=dict, init=False)

    def run(self) -> int:
        """Run until Ctrl-C, SIGTERM or SIGHUP. Returns the exit status: 1 when the site never answered."""
        processes.adopt_orphans()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask_to_stop)
        try:
            for child in self.crew.all():
                self._start(child)
            status = self._until_first_answer()
            while not status and not self._asked_to_stop:
                self._look_after(self.crew.all())
                time.sleep(TICK_SECONDS)
            return status
        finally:
            self._stop()

    def _ask_to_stop(self, *_: object) -> None:
        self._asked_to_stop += 1

    def _until_first_answer(self) -> int:
        deadline = time.monotonic() + FIRST_ANSWER_SECONDS
        web = self.crew.web
        while not self._asked_to_stop:
            self._look_after(self.crew.all())
            if web.running is not None and (status := first_page_status(self.port)):
                if status >= http.client.INTERNAL_SERVER_ERROR:
                    self.say(f"The site answers with an error ({status}). {self._where(web)}")
                self.say(f"Ringside is at http://{HOST}:{self.port}/ (Ctrl-C stops it)")
                return 0
            if web.failures >= FIRST_ANSWER_FAILURES or time.monotonic() > deadline:
                self.say(f"The site does not start. {self._where(web)}")
                return 1
            time.sleep(TICK_SECONDS)
        return 0

    def _start(self, child: Child) -> None:
        child.running = processes.start(
            [sys.executable, *child.program.words],
            log=processes.open_log(self.logs / f"{child.program.name}.log") if self.logs else None,
            at_parents_death=child.program.at_supervisors_death,
            environment={**os.environ, "PYTHONUNBUFFERED": "1"},
            folder=self.folder,
        )
        child.started = time.monotonic()

    def _look_after(self, children: Sequence[Child]) -> None:
        """Start again whatever has ended, services first."""
        for server in self.services.servers:
            self._look_after_service(server)
        now = time.monotonic()
        for child in children:
            if child.running is not None and processes.has_ended(child.running):
                self._bury(child)
            elif child.running is None and now >= child.due:
                self._start(child)
        processes.collect_zombies(self._known())

    def _bury(self, child: Child) -> None:
        assert child.running is not None, "only a child that ran can end"
        processes.end(child.running)
        status = child.running.returncode
        child.running = None
        # Browsers lead groups of their own; with their worker gone they are ours.
        processes.end_orphans(self._known())
        lived = time.monotonic() - child.started
        child.failures = 1 if lived > HEALTHY_SECONDS else child.failures + 1
        pause = pause_after(child.failures)
        child.due = time.monotonic() + pause
        # What was killed from outside has said nothing of it.
        why = f" {self._where(child)}" if status >= 0 else ""
        self.say(f"{child.program.name} {how_it_ended(status)}; starting it again in {pause:g} s.{why}")

    def _look_after_service(self, server: Server) -> None:
        if server.running is not None and not processes.has_ended(server.running):
            return
        failures, due = self._failed_services.get(server.name, (0, 0.0))
        if time.monotonic() < due:
            return
        if not failures:
            self.say(f"{server.name} has ended; starting it again.")
        try:
            server.stop()
            server.start()
        except ServiceError as error:
            pause = pause_after(failures + 1)
            self._failed_services[server.name] = (failures + 1, time.monotonic() + pause)
            self.say(f"{error.message}\nTrying again in {pause:g} s.")
        else:
            self._failed_services.pop(server.name, None)

    def _stop(self) -> None:
        """Stop in order. Services go last, whatever happens on the way."""
        asked_before = self._asked_to_stop
        try:
            self.say("Stopping.")
            self._end([self.crew.web], WEB_ASKS)
            self._drain(asked_before)
            self._end([self.crew.clock], CLOCK_ASKS)
        finally:
            self.services.stop()
            processes.end_orphans(())
            self.say("Stopped.")

    def _drain(self, asked_before: int) -> None:
        """Let workers finish what they run; hand it back when asked again or when it takes too long."""
        workers = [child for child in self.crew.workers if child.running is not None]
        for child in workers:
            if child.running is not None:
                child.running.send_signal(WARM)
        started = time.monotonic()
        told = False
        while any(child.running is not None and not processes.has_ended(child.running) for child in workers):
            waited = time.monotonic() - started
            if self._asked_to_stop > asked_before or waited > self.drain_seconds:
                self.say("Handing back what still runs.")
                break
            if waited > PATIENCE_SECONDS and not told:
                self.say(f"Finishing what runs, for at most {self.drain_seconds:g} s. Ctrl-C again hands it back.")
                told = True
            self._look_after(())
            time.sleep(TICK_SECONDS)
        self._end(workers, COLD_ASKS)

    def _end(self, children: Sequence[Child], asks: tuple[tuple[signal.Signals, float], ...]) -> None:
        for child in children:
            if child.running is not None:
                processes.end(child.running, *asks)
                child.running = None

    def _known(self) -> set[int]:
        running = [child.running for child in self.crew.all()] + [server.running for server in self.services.servers]
        return {process.pid for process in running if process is not None}

    def _where(self, child: Child) -> str:
        if self.logs is None:
            return ""
        log = self.logs / f"{child.program.name}.log"
        return f"The log is {log}:\n{processes.last_lines(log)}"


def first_page_status(port: int) -> int:
    """HTTP status of the home page, or 0 when nothing answers."""
    connection = http.client.HTTPConnection(HOST, port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", "/", headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def pause_after(failures: int) -> float:
    """Seconds before the next start after so many failures in a row (1 or more)."""
    return min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** (failures - 1))


def how_it_ended(status: int) -> str:
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def say_to_terminal(line: str) -> None:
    """Print a line; a terminal that is gone must not keep anything from being stopped."""
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError:
        return
