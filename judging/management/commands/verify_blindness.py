"""Check that no judge can come upon a name before their vote is final."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from judging.blindness_check import SAMPLE, check_blindness
from judging.stylometry_reading import read_stylometry, reason_words, what_it_means

#: What is printed of a reading, in order; the reason is null where there are figures.
STYLOMETRY_FIGURES = ("accuracy", "chance", "lower", "upper", "battles", "agents", "by_feature", "reason")


class Command(BaseCommand):
    help = (
        "Fetch what every kind of viewer from whom names are hidden gets to see of the battles that can be judged "
        "now (pages, fragments, headers, frames and their metadata) and search it for every name, key, version and "
        "provider of the roster. Writes nothing that stays. Exit status 1 when one is found. With --stylometry: how "
        "often agents can be told apart by style instead; a posture, so the exit status is 0 whatever it is."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")
        parser.add_argument("--stylometry", action="store_true", help="Measure what style gives away; search no names.")
        parser.add_argument("--all", action="store_true", help=f"All battles and frames, not the newest {SAMPLE}.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["stylometry"]:
            self._stylometry(as_json=options["json"])
            return
        report = check_blindness(everything=options["all"])
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report)))
        else:
            for found in report.found:
                self.stdout.write(f"FOUND  {found.name!r} for {found.viewer}, {found.surface}, battle {found.battle}")
            self.stdout.write(
                f"{report.battles} battles, {report.surfaces} surfaces searched, {len(report.found)} names found"
            )
        sys.exit(1 if report.found else 0)

    def _stylometry(self, *, as_json: bool) -> None:
        found = read_stylometry()
        why = reason_words(found.reason, battles=found.battles, agents=found.agents) if found.reason else ""
        if as_json:
            figures = asdict(found) | {"reason": why or None}
            self.stdout.write(json.dumps({name: figures[name] for name in STYLOMETRY_FIGURES}))
        elif found.accuracy is None or found.chance is None or found.lower is None or found.upper is None:
            self.stdout.write(f"No figure: {why}.")
        else:
            self.stdout.write(
                f"{found.accuracy:.1%} of lanes told (95% interval {found.lower:.1%} to {found.upper:.1%}), "
                f"{found.chance:.1%} by chance; {found.battles} battles, {found.agents} agents. "
                f"{what_it_means(found.accuracy, found.chance, found.lower)}"
            )
            for name, share in found.by_feature.items():
                self.stdout.write(f"  {name} alone: {share:.1%}")
