"""Prove the ledger whole."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from governance.errors import ArenaError
from governance.ledger.verification import Report, verify_ledger


class Command(BaseCommand):
    help = (
        "Compute every entry, subtree and root of the ledger again; check every signed checkpoint and signature; and "
        "compare every entry with the journal row, consent text or publication it speaks of. Exit status 1 on any "
        "difference, 2 when a file was refused."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")
        parser.add_argument(
            "--checkpoint",
            action="append",
            default=[],
            type=Path,
            dest="checkpoints",
            help="A checkpoint that was kept elsewhere, which must be a prefix of this ledger; repeat it.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = verify_ledger(notes=[path.read_text(encoding="utf-8") for path in options["checkpoints"]])
        except ArenaError as refusal:
            self._refuse(f"{refusal.message} [{refusal.code}]")
        except (OSError, UnicodeDecodeError) as problem:
            self._refuse(f"A checkpoint cannot be read: {problem}")
        else:
            self._tell(options, report)
            sys.exit(0 if report.whole else 1)

    def _refuse(self, words: str) -> None:
        self.stderr.write(words)
        sys.exit(2)

    def _tell(self, options: dict[str, Any], report: Report) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report) | {"whole": report.whole}, ensure_ascii=False))
            return
        for problem in report.problems:
            self.stdout.write(f"DIFFERS  {problem}")
        self.stdout.write(f"{report.entries} entries, root {report.root}")
        self.stdout.write(
            f"{report.checkpoints} checkpoints, {report.signatures} signatures and {report.contents} contents checked, "
            f"{len(report.problems)} differences"
        )
