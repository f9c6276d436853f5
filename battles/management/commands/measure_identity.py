"""``manage.py measure_identity``: how well the leak scan does on labelled cases, by kind."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from battles.blindness.lexicon import maintained_lexicon
from battles.blindness.measuring import SHIPPED_CASES, IdentityMeasure, measure_identity, read_cases
from governance.errors import ArenaError


class Command(BaseCommand):
    help = (
        "Scan labelled texts for what gives a model away and print the share of leaks found (recall) and of harmless "
        "texts flagged, by kind, with the cases that came out wrong. Uses the maintained names only, not the roster's."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--cases",
            type=Path,
            default=SHIPPED_CASES,
            metavar="FILE",
            help="JSON lines with id, kind, text and leaks, plain or .gz; default: the shipped cases",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            cases = read_cases(options["cases"])
        except ArenaError as error:
            raise CommandError(error.message) from error
        measure = measure_identity(cases, maintained_lexicon())
        self.stdout.write(json.dumps(asdict(measure), indent=1) if options["json"] else _table(measure))


def _table(measure: IdentityMeasure) -> str:
    lines = [f"{'kind':<28}{'cases':>8}{'right':>8}"]
    lines.extend(f"{kind:<28}{count.cases:>8}{count.right:>8}" for kind, count in measure.by_kind.items())
    for name, share in (("recall", measure.recall), ("benign flagged", measure.benign_flagged)):
        lines.append(f"{name:<28}" + ("nothing to measure" if share is None else f"{share:>16.3f}"))
    lines.append(f"wrong: {', '.join(measure.wrong) or 'none'}")
    return "\n".join(lines)
