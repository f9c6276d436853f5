"""``manage.py measure_overlap``: how well the overlap screen does on labelled cases, by tier and by kind."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from battles.screening.overlap import MEASURED, SHIPPED_CASES, SHIPPED_INDEX, Tier, file_digest, load_index
from battles.screening.overlap_cases import (
    by_kind,
    confusion,
    judge_cases,
    rates,
    read_cases,
    write_fingerprints,
    wrong,
)
from governance.errors import ArenaError


class Command(BaseCommand):
    help = "Judge labelled cases with the overlap screen and print the tiers given, by expected tier and by kind."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--cases", type=Path, action="append", metavar="FILE", help="default: the shipped cases")
        parser.add_argument("--index", type=Path, default=SHIPPED_INDEX, help="default: the shipped index")
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument(
            "--fingerprints", type=Path, metavar="FILE", help="also write the cases without their texts"
        )
        parser.add_argument("--record", action="store_true", help="keep the result of the shipped cases as the posture")

    def handle(self, *args: Any, **options: Any) -> None:
        paths = options["cases"] or [SHIPPED_CASES]
        if options["record"] and (paths != [SHIPPED_CASES] or options["index"] != SHIPPED_INDEX):
            raise CommandError("--record keeps what the shipped cases say of the shipped index: leave the others out.")
        try:
            index = load_index(options["index"])
            cases = [case for path in paths for case in read_cases(path)]
        except ArenaError as error:
            raise CommandError(error.message) from error
        judged = judge_cases(cases, index)
        result = {
            "tiers": confusion(judged),
            "kinds": by_kind(judged),
            "rates": rates(judged),
            "wrong": wrong(judged),
            "cases": len(judged),
        }
        if options["fingerprints"]:
            write_fingerprints(cases, index, options["fingerprints"])
        if options["record"]:
            digests = {"index_sha256": file_digest(SHIPPED_INDEX), "cases_sha256": file_digest(SHIPPED_CASES)}
            MEASURED.write_text(json.dumps({**result, **digests}, indent=1) + "\n", "utf-8")
        self.stdout.write(json.dumps(result, indent=1) if options["json"] else _table(result))


def _table(result: dict[str, Any]) -> str:
    head = "".join(f"{tier:>11}" for tier in Tier)
    lines = [f"{'expected':<24}{head}"]
    for title in ("tiers", "kinds"):
        for row, given in result[title].items():
            lines.append(f"{row:<24}" + "".join(f"{given[tier]:>11}" for tier in Tier))
        lines.append("")
    for name, share in result["rates"].items():
        lines.append(f"{name:<24}" + ("nothing to measure" if share is None else f"{share:>11.3f}"))
    lines.append(f"{result['cases']} cases, another tier than expected: {', '.join(result['wrong']) or 'none'}")
    return "\n".join(lines)
