"""The quality report of a board as it is now: for operators, and to ship with every snapshot."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from metrics.quality import NotEntitled, report
from metrics.quality_figures import read_figures
from ratings.models import Board
from ratings.standings import board_in_force


def shown_board() -> Board:
    """The board whose standings are shown; the headline's before the first publication."""
    shown = board_in_force()
    return Board(shown.board) if shown else Board.HEADLINE


def not_entitled(board: Board) -> list[NotEntitled]:
    """Every claim that the record of a board does not entitle anybody to make."""
    return report(read_figures(board))


def quality_document(board: Board) -> dict[str, Any]:
    """The report as plain JSON values: the board, and each claim with why not and what would earn it."""
    return {"board": board.value, "not_entitled": [asdict(entry) for entry in not_entitled(board)]}
