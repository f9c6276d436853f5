"""``manage.py proving_ground miniwob``: try the hands of a lane on pages written by others."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from battles.lanes.chromium import LaunchFailed, NoChromium
from battles.lanes.egress import EgressUnavailable
from battles.lanes.runtime_dir import RuntimeDirUnusable
from battles.proving_ground.agents import AGENTS, check_agent
from battles.proving_ground.oracle.policies import POLICIES
from battles.proving_ground.pages import task_names
from battles.proving_ground.report import EpisodeResult, Report, result_line, summary_lines
from battles.proving_ground.runner import run
from governance.errors import ArenaError

#: More says nothing about hands that the first ones did not.
MOST_SEEDS = 100


def _seeds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SEEDS:
        raise ArgumentTypeError(f"give a whole number from 1 to {MOST_SEEDS}")
    return int(text)


class Command(BaseCommand):
    help = (
        "Run a baseline agent, or the oracle, on the tasks of MiniWoB++ with the browser, verbs and loop of a lane, "
        "and report the reward of each. Nothing is recorded, so model agents are refused: they race in battles."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ground", choices=["miniwob"], help="which pages")
        parser.add_argument("--agent", default="oracle", help=f"one of {', '.join(AGENTS)}; default oracle")
        parser.add_argument("--task", action="append", default=[], metavar="NAME", help="only these; default all")
        parser.add_argument("--seeds", type=_seeds, default=1, metavar="N", help="episodes of each task; default 1")
        parser.add_argument("--json", action="store_true", help="print one JSON document; progress on standard error")
        parser.add_argument("--list", action="store_true", help="list the tasks, and which the oracle has a policy for")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["list"]:
                self._list(options["json"])
                return
            check_agent(options["agent"])
            report = self._run(options)
        except ArenaError as error:
            raise CommandError(error.message) from error
        except (NoChromium, LaunchFailed, EgressUnavailable, RuntimeDirUnusable) as problem:
            raise CommandError(f"The browser could not be driven: {problem}") from problem
        self.stdout.write(
            json.dumps(report.as_data(), indent=1) if options["json"] else "\n".join(summary_lines(report))
        )

    def _run(self, options: dict[str, Any]) -> Report:
        progress = self.stderr if options["json"] else self.stdout

        def tell(result: EpisodeResult) -> None:
            # Not in the colour of errors: with --json progress only stands there to leave the document alone.
            progress.write(result_line(result), style_func=str)
            progress.flush()

        return run(options["agent"], options["task"], options["seeds"], tell)

    def _list(self, as_json: bool) -> None:
        names = task_names()
        if as_json:
            self.stdout.write(json.dumps([{"task": name, "oracle": name in POLICIES} for name in names], indent=1))
            return
        for name in names:
            self.stdout.write(f"{name:<30} {'oracle' if name in POLICIES else ''}".rstrip())
        self.stdout.write(f"{len(names)} tasks, {sum(name in POLICIES for name in names)} with a policy of the oracle")
