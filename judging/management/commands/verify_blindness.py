"""Check that no judge can come upon a name before their vote is final."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from judging.blindness_check import SAMPLE, check_blindness


class Command(BaseCommand):
    help = (
        "Fetch what every kind of viewer from whom names are hidden gets to see of the battles that can be judged "
        "now (pages, fragments, headers, frames and their metadata) and search it for every name, key, version and "
        "provider of the roster. Writes nothing that stays. Exit status 1 when one is found."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")
        parser.add_argument("--all", action="store_true", help=f"All battles and frames, not the newest {SAMPLE}.")

    def handle(self, *args: Any, **options: Any) -> None:
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
