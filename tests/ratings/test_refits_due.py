"""Refits that did not come, or failed, on the operators' first page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from ratings.due import EVERY, refits
from ratings.models import Board, Refit
from ratings.publications import NOTHING_YET
from tests.battles.factories import make_judge
from tests.ratings.published import judged, make_pair

pytestmark = pytest.mark.django_db


def ran(outcome, *, ago=timedelta(), reason=""):
    at = timezone.now() - ago
    return Refit.objects.create(board=Board.DEMO, outcome=outcome, reason=reason, started_at=at, ended_at=at)


@pytest.mark.parametrize(
    ("outcome", "reason", "ago", "words"),
    [
        ("published", "", timedelta(), None),
        ("unchanged", "", EVERY, "no refit since"),
        ("failed", "It did not converge.", timedelta(), "the last refit failed"),
        ("failed", NOTHING_YET, timedelta(), None),
        ("failed", NOTHING_YET, EVERY, "no refit since"),
    ],
)
def test_a_board_is_told_of_when_its_refit_failed_or_is_late(outcome, reason, ago, words):
    ran(outcome, ago=ago, reason=reason)
    found = [item.words for item in refits(timezone.now()).items]
    assert [words in item for item in found] == ([True] if words else [])


def test_votes_that_no_refit_ever_read_are_told_of_after_a_day():
    judged(make_pair("a", "b"), "a", judge=make_judge())
    assert refits(timezone.now()).items == ()
    assert refits(timezone.now() + 2 * EVERY).overdue == len(Board)
