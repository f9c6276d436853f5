"""Celery entry points of ratings."""

from governance.background import background_task
from governance.models import JournalEntry
from ratings.foreseen_effects import TASK as FORESEE
from ratings.foreseen_effects import work_out
from ratings.judge_flags import hold_improbable_judges
from ratings.models import Board, Publication
from ratings.refit import refit
from ratings.reverification import verify_and_record
from ratings.ticker import move_waiting_tickers


@background_task(name="ratings.refit")
def refit_boards() -> None:
    for board in Board:
        refit(board=board, actor="system:refit")


@background_task(name="ratings.move_waiting_tickers")
def move_tickers() -> None:
    move_waiting_tickers()


@background_task(name="ratings.flag_judges")
def flag_judges() -> None:
    hold_improbable_judges()


@background_task(name="ratings.verify_again")
def verify_again(digest: str, actor: str) -> None:
    verify_and_record(publication=Publication.objects.get(pk=digest), actor=actor)


@background_task(name=FORESEE)
def foresee_exclusion(entry: str) -> None:
    work_out(JournalEntry.objects.get(pk=entry))
