"""Names are hidden unless a stated reason shows them: every state of a battle with every kind of viewer."""

import pytest
from django.utils import timezone

from battles.models import Battle
from judging.models import Vote
from judging.visibility import identity_visibility
from tests.battles.factories import make_judge, make_votable

pytestmark = pytest.mark.django_db

STATES = list(Battle.State)
VIEWERS = ["stranger", "nobody", "submitter", "voted", "locked"]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", VIEWERS)
def test_names_show_after_ones_own_lock_or_when_the_battle_is_over(state, kind):
    battle = make_votable()
    viewer = {"nobody": None, "submitter": battle.task.judge}.get(kind, make_judge())
    if kind in {"voted", "locked"}:
        locked_at = timezone.now() if kind == "locked" else None
        Vote.objects.create(
            battle=battle,
            judge=viewer,
            receipt=viewer.receipts.get(),
            choice="tie",
            by_submitter=False,
            locked_at=locked_at,
        )
    battle.state = state
    shown = identity_visibility(battle, viewer).names
    assert shown == (state in {Battle.State.CLOSED, Battle.State.VOID} or kind == "locked")


def test_another_judges_lock_reveals_nothing_to_me():
    battle, other = make_votable(judges_needed=3), make_judge()
    Vote.objects.create(
        battle=battle,
        judge=other,
        receipt=other.receipts.get(),
        choice="tie",
        by_submitter=False,
        locked_at=timezone.now(),
    )
    assert not identity_visibility(battle, make_judge()).names
