"""Celery entry points of ratings."""

from governance.background import background_task
from ratings.models import Board
from ratings.refit import refit


@background_task(name="ratings.refit")
def refit_boards() -> None:
    for board in Board:
        refit(board=board, actor="system:refit")
