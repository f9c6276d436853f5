"""Names are hidden unless a stated reason shows them: every state of a battle with every kind of viewer."""

from datetime import timedelta

import pytest
from django.utils import timezone

from battles.models import Battle
from judging.models import Assignment, RepeatVote, Vote
from judging.visibility import REPEAT_WITHIN, identity_visibility, second_looks_pending
from tests.battles.factories import make_judge, make_votable
from tests.judging.handing import hand_to, make_signed_in

pytestmark = pytest.mark.django_db

STATES = list(Battle.State)
VIEWERS = ["stranger", "nobody", "submitter", "holds a lease", "voted", "locked"]
#: How a battle that is to come back stands: what is known of the second look.
SECOND_LOOKS = {
    "not handed out": True,
    "in hand": True,
    "ran out": True,
    "voted": True,
    "locked": False,
    "skipped": False,
    "taken back": False,
    "too late": False,
}


def vote_of(battle, viewer, *, locked):
    return Vote.objects.create(
        battle=battle,
        judge=viewer,
        receipt=viewer.receipts.get(),
        choice="tie",
        by_submitter=battle.task.judge_id == viewer.pk,
        locked_at=timezone.now() if locked else None,
    )


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", VIEWERS)
def test_names_show_after_ones_own_lock_or_when_the_battle_is_over(state, kind):
    battle = make_votable()
    viewer = {"nobody": None, "submitter": battle.task.judge}.get(kind, make_judge())
    if kind in {"voted", "locked"}:
        vote_of(battle, viewer, locked=kind == "locked")
    if kind == "holds a lease":
        hand_to(battle, viewer)
    battle.state = state
    shown = identity_visibility(battle, viewer).names
    assert shown == (state in {Battle.State.CLOSED, Battle.State.VOID} or kind == "locked")


@pytest.mark.parametrize("state", [Battle.State.RESOLVED, Battle.State.CLOSED, Battle.State.VOID])
@pytest.mark.parametrize(("second", "hidden"), SECOND_LOOKS.items())
def test_a_judge_who_looks_twice_sees_names_after_the_second_look(state, second, hidden):
    battle, judge, other = make_votable(), make_signed_in(), make_judge()
    now = timezone.now()
    first = hand_to(battle, judge, comes_back=True, outcome="voted", ended_at=now)
    vote_of(battle, judge, locked=True)
    second_look(battle, judge, first, second, now)
    battle.state = state
    visibility = identity_visibility(battle, judge)
    if state == Battle.State.VOID or not hidden:
        assert visibility.names
    else:
        assert (visibility.names, visibility.reason) == (False, "second_look_pending")
    # Nobody else waits for that.
    assert identity_visibility(battle, other).names == (state in {Battle.State.CLOSED, Battle.State.VOID})


def second_look(battle, judge, first, kind, now):
    fields = {"swapped": True, "first": first}
    if kind == "too late":
        long_ago = now - REPEAT_WITHIN - timedelta(seconds=1)
        Assignment.objects.filter(pk=first.pk).update(leased_at=long_ago, leased_until=long_ago)
    elif kind in {"in hand", "ran out"}:
        outcome = {"in hand": {}, "ran out": {"outcome": "expired", "ended_at": now}}[kind]
        hand_to(battle, judge, **fields, **outcome)
    elif kind == "skipped":
        hand_to(battle, judge, outcome="skipped", skip_reason="other", ended_at=now, **fields)
    elif kind == "taken back":
        hand_to(battle, judge, outcome="taken_back", ended_at=now, **fields)
    elif kind in {"voted", "locked"}:
        assignment = hand_to(battle, judge, outcome="voted", ended_at=now, **fields)
        RepeatVote.objects.create(
            assignment=assignment,
            battle=battle,
            judge=judge,
            receipt=judge.receipts.get(),
            choice="tie",
            locked_at=now if kind == "locked" else None,
        )


def test_a_mark_on_a_battle_one_never_voted_on_hides_nothing_that_shows():
    battle, judge = make_votable(), make_signed_in()
    hand_to(battle, judge, comes_back=True, outcome="expired", ended_at=timezone.now())
    battle.state = Battle.State.CLOSED
    assert identity_visibility(battle, judge).names


def test_another_judges_lock_reveals_nothing_to_me():
    battle = make_votable(judges_needed=3)
    vote_of(battle, make_judge(), locked=True)
    assert not identity_visibility(battle, make_judge()).names


def test_a_vote_is_final_after_ten_minutes_for_its_own_judge_alone():
    battle, judge = make_votable(judges_needed=3), make_judge()
    vote_of(battle, judge, locked=False)
    later = timezone.now() + timedelta(minutes=10, seconds=1)
    assert identity_visibility(battle, judge, now=later).names
    assert not identity_visibility(battle, make_judge(), now=later).names


def test_of_many_battles_it_is_asked_as_of_one(django_assert_num_queries):
    judge, now = make_signed_in(), timezone.now()
    battles = [make_votable() for _ in range(4)]
    looks = [hand_to(battle, judge, comes_back=True, outcome="voted", ended_at=now) for battle in battles[:3]]
    Assignment.objects.filter(pk=looks[0].pk).update(leased_at=now - REPEAT_WITHIN)
    other = make_signed_in()
    hand_to(battles[0], other, comes_back=True, outcome="voted", ended_at=now)
    asked = [battle.pk for battle in battles]
    pending = {(battle.pk, judge.pk) for battle in battles[1:3]}
    with django_assert_num_queries(3):
        assert second_looks_pending(now=now, battle__in=asked, judge=judge) == pending
    # Of all judges at once, as of each by itself.
    with django_assert_num_queries(3):
        assert second_looks_pending(now=now) == pending | {(battles[0].pk, other.pk)}
    assert second_looks_pending(now=now, battle=battles[3]) == set()
    assert second_looks_pending(now=now, battle__in=asked, judge=make_judge()) == set()
