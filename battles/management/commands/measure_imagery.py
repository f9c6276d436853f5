"""``manage.py measure_imagery``: how well details are found in pictures, by the page and by reading the picture."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from battles.imagery.measuring import PAGE_SCRIPT_SHA256, draw, measure_imagery
from governance.errors import ArenaError
from governance.redaction.imagery_posture import ImageryMeasure, picture_cases, record_imagery
from governance.redaction.posture_page import PAGE, posture_markdown


class Command(BaseCommand):
    help = (
        "Have Chromium draw the shipped lines of 11 to 14 px and print how many details each of the two detectors of "
        "pictures covers whole. Ends with 1 when fewer than 18 of 19 are found, with 2 when it cannot be measured."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument("--record", action="store_true", help="keep the figures and write docs/redaction.md")

    def handle(self, *args: Any, **options: Any) -> None:
        cases = picture_cases()
        try:
            drawn = draw(cases)
            measure = measure_imagery(cases, drawn)
        except ArenaError as error:
            raise CommandError(error.message, returncode=2) from error
        if options["record"]:
            record_imagery(measure, on=timezone.now().date(), browser=drawn.browser, page_script=PAGE_SCRIPT_SHA256)
            PAGE.write_text(posture_markdown(), encoding="utf-8")
        self.stdout.write(json.dumps(asdict(measure), indent=1) if options["json"] else _table(measure))
        shortfalls = measure.shortfalls()
        if shortfalls:
            self.stderr.write("\n".join(shortfalls))
            sys.exit(1)


def _table(measure: ImageryMeasure) -> str:
    lines = [f"{'kind':<20}{'strings':>8}{'by the page':>14}{'by the picture':>16}"]
    lines += [
        f"{label:<20}{one['strings']:>8}{one['by_page']:>14}{one['by_picture']:>16}"
        for label, one in measure.by_kind.items()
    ]
    lines.append(f"{'all':<20}{measure.strings:>8}{measure.by_page:>14}{measure.by_picture:>16}")
    lines.append(f"{'clean, touched':<20}{measure.clean:>8}{measure.clean_by_page:>14}{measure.clean_by_picture:>16}")
    lines.append(f"missed: {'; '.join(measure.missed) or 'none'}")
    return "\n".join(lines)
