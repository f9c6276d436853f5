"""Simulate a vote-rigging campaign against the arena's defences."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ratings.steering.campaign import MODE_WORDS, Mode
from ratings.steering.simulation import (
    DEFAULT_RUNS,
    FLAGGED_TARGET,
    HELD_TARGET,
    MOVED_TARGET,
    Figure,
    ModeResult,
    SteeringResult,
    simulate_steering,
    steering_document,
)

#: Progress is told after so many runs.
TOLD_EVERY = 10


class Command(BaseCommand):
    help = (
        "Simulate a vote-rigging campaign in four forms against blindness, trust and the tests of judges' votes: how "
        "many accounts are held, how many honest judges with them, and how far the agent moves. Needs no database. The "
        "exit status is 0 whatever comes out, and 1 with --check where a target is missed."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=0, help="Of everything; the same seed gives the same result.")
        parser.add_argument("--runs", type=int, default=DEFAULT_RUNS, help="Campaigns of each form (default 50).")
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")
        parser.add_argument("--check", action="store_true", help="Exit with status 1 where a target is missed.")

    def handle(self, *args: Any, **options: Any) -> None:
        runs = options["runs"]

        def told(mode: Mode, done: int) -> None:
            if done % TOLD_EVERY == 0 or done == runs:
                self.stderr.write(f"{mode}: {done} of {runs} runs")

        try:
            result = simulate_steering(seed=options["seed"], runs=runs, told=told)
        except ValueError as wrong:
            raise CommandError(f"Please change --runs or --seed: {wrong}.") from wrong
        if options["json"]:
            self.stdout.write(json.dumps(steering_document(result), allow_nan=False))
        else:
            self._table(result)
        if options["check"] and not result.reached:
            sys.exit(1)

    def _table(self, result: SteeringResult) -> None:
        arena = result.arena
        self.stdout.write(
            f"{arena.agents} agents, {arena.honest_votes} honest votes by {arena.honest_judges} judges, "
            f"{arena.rigged_votes} votes by {arena.colluders} colluding accounts for the agent ranked "
            f"{arena.target + 1}; {result.runs} runs, seed {result.seed}."
        )
        self.stdout.write(
            f"Targets: at least {HELD_TARGET:.0%} of the accounts held, at most {FLAGGED_TARGET:.0%} of honest judges "
            f"flagged, at most {MOVED_TARGET:g} rank gained. Means over runs, 95% intervals."
        )
        for found in result.modes:
            self.stdout.write("")
            self.stdout.write(f"{found.mode}: {MODE_WORDS[found.mode]}")
            for words, mark in _lines(found):
                self.stdout.write(f"  {words}{mark}")


def _lines(found: ModeResult) -> list[tuple[str, str]]:
    by_defence = ", ".join(f"{name} {share:.0%}" for name, share in found.by_defence)
    return [
        (f"accounts held            {_percent(found.held)}", _mark(found.holds_enough)),
        (f"  at most possible       {_percent(found.holdable)}", ""),
        (f"  by each defence alone  {by_defence}", ""),
        (f"honest judges flagged    {_percent(found.flagged)}", _mark(found.spares_the_honest)),
        (f"honest votes lost        {_percent(found.honest_votes_lost)}", ""),
        (f"ranks gained, defended   {_plain(found.moved)}, most {found.worst_moved}", _mark(found.keeps_the_rank)),
        (f"ranks gained, undefended {_plain(found.moved_undefended)}", ""),
        (f"points gained, defended  {_plain(found.points)}", ""),
        (f"points, undefended       {_plain(found.points_undefended)}", ""),
        (f"runs within the target   {_percent(found.within)}", ""),
    ]


def _mark(reached: bool) -> str:
    return "  reached" if reached else "  MISSED"


def _percent(figure: Figure) -> str:
    if figure.lower is None or figure.upper is None:
        return f"{figure.value:.1%}"
    return f"{figure.value:.1%} ({max(0.0, figure.lower):.1%} to {min(1.0, figure.upper):.1%})"


def _plain(figure: Figure) -> str:
    if figure.lower is None or figure.upper is None:
        return f"{figure.value:.2f}"
    return f"{figure.value:.2f} ({figure.lower:.2f} to {figure.upper:.2f})"
