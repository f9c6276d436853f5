"""Fit the boards now."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from ratings.models import Board, Refit
from ratings.publications import NOTHING_YET
from ratings.refit import refit


class Command(BaseCommand):
    help = (
        "Fit the boards from scratch and publish what changed, as happens every night and soon after votes. Exit "
        "status 1 when a fit failed or was held back; what was published before stays in force."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--board", choices=Board.values, help="One board; both without it.")
        parser.add_argument("--json", action="store_true", help="Print the outcome as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        boards = [Board(options["board"])] if options["board"] else list(Board)
        runs = [refit(board=board, actor="operator:terminal") for board in boards]
        if options["json"]:
            self.stdout.write(json.dumps([_told(run) for run in runs]))
        else:
            for run in runs:
                about = run.publication.digest if run.publication else run.reason
                self.stdout.write(f"{run.board}  {run.outcome}  {about}")
        failed = [run for run in runs if run.outcome == Refit.Outcome.FAILED and run.reason != NOTHING_YET]
        sys.exit(1 if failed else 0)


def _told(run: Refit) -> dict[str, Any]:
    digest = run.publication.digest if run.publication else None
    return {"board": run.board, "outcome": run.outcome, "publication": digest, "reason": run.reason}
