"""Say what the record does not entitle anybody to claim."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from metrics.quality import report
from metrics.quality_figures import read_figures
from ratings.models import Board
from ratings.standings import board_in_force


class Command(BaseCommand):
    help = (
        "Print the claims that this record does not entitle anybody to make, why not, and what would earn each. "
        "Ships with every snapshot; it never fails, since an open claim is no fault."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--board", choices=Board.values, help="Whose record; that of the standings without it.")
        parser.add_argument("--json", action="store_true", help="Print JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        shown = board_in_force()
        board = Board(options["board"] or (shown.board if shown else Board.HEADLINE))
        entries = report(read_figures(board))
        if options["json"]:
            told = {"board": board.value, "not_entitled": [asdict(entry) for entry in entries]}
            self.stdout.write(json.dumps(told, ensure_ascii=False))
            return
        self.stdout.write(f"{board.value}: {len(entries)} claims that cannot be made")
        for entry in entries:
            self.stdout.write(f"\n{entry.claim}\n  why not: {entry.why}\n  earned by: {entry.earned_by}")
