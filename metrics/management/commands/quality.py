"""Say what the record does not entitle anybody to claim."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from metrics.quality_report import quality_document, shown_board
from ratings.models import Board


class Command(BaseCommand):
    help = (
        "Print the claims that this record does not entitle anybody to make, why not, and what would earn each. "
        "Ships with every snapshot; it never fails, since an open claim is no fault."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--board", choices=Board.values, help="Whose record; that of the standings without it.")
        parser.add_argument("--json", action="store_true", help="Print JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        board = Board(options["board"]) if options["board"] else shown_board()
        found = quality_document(board)
        if options["json"]:
            self.stdout.write(json.dumps(found, ensure_ascii=False))
            return
        entries = found["not_entitled"]
        self.stdout.write(f"{board.value}: {len(entries)} claims that cannot be made")
        for entry in entries:
            self.stdout.write(f"\n{entry['claim']}\n  why not: {entry['why']}\n  earned by: {entry['earned_by']}")
