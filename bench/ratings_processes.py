"""Processes that take turns: started, asked round by round, ended, and weighed."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Timing:
    """Seconds of one fit; a list has one entry a round.

    Attributes:
        versions: of what computed.
        first, first_cpu: of the first call, on the clock and of the processor.
        walls, cpus: of the rounds after it.
        peak_megabytes: of the whole process, its libraries and the votes included.
        found: points and errors of the agents, where the case has any.
    """

    versions: dict[str, str]
    first: float
    first_cpu: float
    walls: list[float]
    cpus: list[float]
    peak_megabytes: float
    found: dict[str, list[float]]


class Turns:
    """One process that waits to be asked."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self.process = subprocess.Popen(
            command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def hear(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended before it had answered; what it said is above.")
        return json.loads(line)

    def ask(self, how: str) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{how}\n")
        self.process.stdin.flush()
        return self.hear()

    def end(self) -> tuple[Any, float]:
        """What it found, and its peak memory in megabytes."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        found = self.hear()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return found, usage.ru_maxrss / 1024

    def stop(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()


def measure(commands: dict[str, list[str]], rounds: int) -> dict[str, Timing]:
    """Every command's first call, then ``rounds`` turns of each in turn.

    Raises:
        SystemExit: a process ended before its time.
    """
    turns: dict[str, Turns] = {}
    try:
        versions, firsts = {}, {}
        # One after the other: a process that still loads its libraries would slow the first call of another.
        for name, command in commands.items():
            turns[name] = Turns(name, command)
            versions[name] = turns[name].hear()
            firsts[name] = turns[name].ask("once")
            progress(f"{name}: first call {firsts[name]['wall']:.3f} s")
        said: dict[str, list[Any]] = {name: [] for name in commands}
        for number in range(1, rounds + 1):
            for name, turn in turns.items():
                said[name].append(turn.ask("warm"))
                progress(f"{name}: round {number}, {said[name][-1]['wall']:.3f} s")
        ends = {name: turn.end() for name, turn in turns.items()}
    finally:
        for turn in turns.values():
            turn.stop()
    return {
        name: Timing(
            versions=versions[name],
            first=firsts[name]["wall"],
            first_cpu=firsts[name]["cpu"],
            walls=[each["wall"] for each in said[name]],
            cpus=[each["cpu"] for each in said[name]],
            peak_megabytes=ends[name][1],
            found=ends[name][0],
        )
        for name in commands
    }


def progress(line: str) -> None:
    """On standard error, so that the tables on standard output stay whole and long runs are not silent."""
    sys.stderr.write(f"  {line}\n")
    sys.stderr.flush()


def median(values: list[float]) -> float:
    return statistics.median(values)


def quartiles(values: list[float]) -> tuple[float, float]:
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def largest_difference(one: dict[str, list[float]], other: dict[str, list[float]], what: str) -> float:
    return max(abs(x - y) for x, y in zip(one[what], other[what], strict=True))


def load() -> str:
    """Runnable processes on average over 1, 5 and 15 minutes."""
    return "load " + " ".join(f"{average:.1f}" for average in os.getloadavg())
