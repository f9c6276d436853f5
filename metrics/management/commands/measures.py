"""Show the measures, or publish them."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from metrics.catalog import CATALOG
from metrics.computing import compute
from metrics.documents import full_document
from metrics.measure import DECIMALS
from metrics.publishing import publish_measures
from metrics.reading import publishable
from metrics.reference import reference
from ratings.models import Board


class Command(BaseCommand):
    help = (
        "Compute every measure of a board now and print it with its counts, which are for staff. --publish stores and "
        "publishes what was computed, as happens every night after the refit; nothing is stored when nothing changed. "
        "--reference prints the definitions as the page docs/measures.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--board", choices=Board.values, help="One board; both without it.")
        parser.add_argument("--publish", action="store_true", help="Store and publish.")
        parser.add_argument("--json", action="store_true", help="Print JSON.")
        parser.add_argument("--reference", action="store_true", help="Print the definitions as Markdown.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["reference"]:
            self.stdout.write(reference(), ending="")
            return
        boards = [Board(options["board"])] if options["board"] else list(Board)
        if options["publish"]:
            self._publish(boards, as_json=options["json"])
            return
        found = {board.value: full_document(compute(board), {"board": board.value})["measures"] for board in boards}
        if options["json"]:
            self.stdout.write(json.dumps(found, ensure_ascii=False))
            return
        for board in boards:
            self._print(board)

    def _publish(self, boards: list[Board], *, as_json: bool) -> None:
        told = []
        for board in boards:
            stored = publish_measures(board=board, actor="operator:terminal")
            told.append(
                {
                    "board": board.value,
                    "digest": stored.digest if stored else None,
                    "public_digest": stored.public_digest if stored else None,
                    "number": stored.number if stored else None,
                }
            )
        if as_json:
            self.stdout.write(json.dumps(told))
            return
        for line in told:
            in_force = f"{line['number']}  {line['public_digest']}" if line["digest"] else "nothing has raced yet"
            self.stdout.write(f"{line['board']}  {in_force}")

    def _print(self, board: Board) -> None:
        self.stdout.write(f"{board.value}, with counts for staff")
        readings = compute(board)
        for measure in CATALOG:
            for agent, reading in readings[measure.key].items():
                shown = publishable(reading, measure.floor, DECIMALS[measure.unit])
                value = "-" if shown.value is None else f"{shown.value:g}"
                ends = "" if shown.lower is None or shown.upper is None else f" {shown.lower:g} to {shown.upper:g}"
                counts = "" if reading.over is None else f"  {reading.counted or 0:g} of {reading.over:g}"
                reason = f"  {shown.reason.value}" if shown.reason else ""
                self.stdout.write(f"  {measure.key:24}{agent or '':24}{value}{ends}{reason}{counts}")
