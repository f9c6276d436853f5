"""``manage.py measure_redaction``: how well text redaction does on labelled cases, by kind."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from governance.errors import ArenaError
from governance.redaction.measuring import SHIPPED_CASES, RedactionMeasure, measure_redaction, read_cases
from governance.redaction.posture import record
from governance.redaction.posture_page import PAGE, posture_markdown


class Command(BaseCommand):
    help = (
        "Redact labelled texts and print the share of details covered whole (recall), the share of clean texts "
        "flagged, and both by kind. Ends with 1 when a figure of the design is missed, with 2 when the cases "
        "cannot be read."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--cases",
            type=Path,
            default=SHIPPED_CASES,
            metavar="FILE",
            help="JSON lines with text and spans (start, end, type), plain or .gz; default: the shipped cases",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument(
            "--record", action="store_true", help="keep the figures of the shipped cases and write docs/redaction.md"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["record"] and options["cases"] != SHIPPED_CASES:
            raise CommandError("--record keeps the figures of the shipped cases: leave --cases out.", returncode=2)
        try:
            measure = measure_redaction(read_cases(options["cases"]))
        except ArenaError as error:
            raise CommandError(error.message, returncode=2) from error
        if options["record"]:
            record(measure, on=timezone.now().date())
            PAGE.write_text(posture_markdown(), encoding="utf-8")
        self.stdout.write(json.dumps(asdict(measure), indent=1) if options["json"] else _table(measure))
        shortfalls = measure.shortfalls()
        if shortfalls:
            self.stderr.write("\n".join(shortfalls))
            sys.exit(1)


def _table(measure: RedactionMeasure) -> str:
    lines = [f"{'kind':<20}{'spans':>8}{'recall':>10}{'precision':>12}"]
    lines.extend(
        f"{label:<20}{one.spans:>8}{one.recall:>10.3f}{'-' if one.precision is None else f'{one.precision:.3f}':>12}"
        for label, one in measure.by_kind.items()
    )
    for name, share in (
        ("recall", measure.recall),
        ("structured kinds", measure.structured_recall),
        ("clean flagged", measure.clean_flagged),
    ):
        lines.append(f"{name:<20}" + ("nothing to measure" if share is None else f"{share:>18.3f}"))
    lines.append(f"wrong: {', '.join(measure.wrong) or 'none'}")
    return "\n".join(lines)
