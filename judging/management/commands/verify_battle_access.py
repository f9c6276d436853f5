"""Check that a battle that may not be read looks like one that does not exist."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from judging.access_check import ROUNDS, check_access


class Command(BaseCommand):
    help = (
        "Compare status, body, headers, statements and time class of battles that may not be read with those of "
        "battles that do not exist, for every address under a battle and every kind of viewer. Writes nothing that "
        "stays. Exit status 1 on any difference."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")
        parser.add_argument(
            "--rounds", type=int, default=ROUNDS, help=f"Timed visits of each address (default: {ROUNDS})."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        report = check_access(rounds=max(3, options["rounds"]))
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report)))
        else:
            for difference in report.differences:
                self.stdout.write(f"DIFFERS  {difference}")
            self.stdout.write(
                f"{report.comparisons} answers compared, {report.timed} addresses timed, "
                f"{len(report.differences)} differences"
            )
        sys.exit(1 if report.differences else 0)
