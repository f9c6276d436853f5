"""Check the consent archive."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from governance.consent_check import check_consent


class Command(BaseCommand):
    help = (
        "Rehash every archived consent sentence, check that versions and effective dates follow each other, and that "
        "every receipt points at a text that was archived and was shown as it is. Exit status 1 on any difference."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        report = check_consent()
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report) | {"whole": report.whole}, ensure_ascii=False))
        else:
            for problem in report.problems:
                self.stdout.write(f"DIFFERS  {problem}")
            self.stdout.write(
                f"{report.texts} consent texts and {report.receipts} receipts checked, "
                f"{len(report.problems)} differences"
            )
        sys.exit(0 if report.whole else 1)
