"""Withdrawal: sentinel texts are found nowhere afterwards, and the audit still adds up."""

import uuid

import pytest
from django.apps import apps
from django.utils import timezone

from battles.lanes.events import FrameShot
from battles.lanes.frame_store import frame_name, frame_storage
from battles.lanes.recorder import Recorder
from battles.models import Battle, Frame, Task
from battles.racing import AttemptLost, start_attempt
from governance.errors import Gone
from governance.withdrawals import withdraw_everything
from judging.models import Vote
from judging.votes import Ballot, cast_vote, lock_vote
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.models import Board
from tests.battles.factories import PIXEL, ended, make_battle, make_judge, make_task, race, started, step

pytestmark = [pytest.mark.django_db, pytest.mark.production]

SENTINEL = "Xyloquartz"
NOTHING = dict.fromkeys(("annotation", "click", "step verdict", "task", "vote"), 0)


def everything_stored():
    """Every value of every row of every table, as one text."""
    rows = []
    for model in apps.get_models():
        rows.extend(repr(row) for row in model.objects.values_list())
    return "\n".join(rows)


@pytest.fixture
def given():
    """A judge with a task, its raced battle, and a vote with a note; all of it carries the sentinel."""
    judge = make_judge()
    task = make_task(judge, instruction=f"Look up {SENTINEL} for me.", start_url=f"https://{SENTINEL}.example/")
    events = []
    for slot in "AB":
        image = FrameShot(image=PIXEL + uuid.uuid4().bytes, mime="image/webp")
        events += [
            started(slot),
            step(slot, frame=image, title=SENTINEL, reasoning=SENTINEL, url_after=SENTINEL, target={"name": SENTINEL}),
            ended(slot, answer=f"It is {SENTINEL}."),
        ]
    battle = race(make_battle(task=task), events=events)
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie", note=f"I know {SENTINEL}."))
    lock_vote(battle=battle, judge=judge)
    return judge, battle


def test_what_was_given_is_found_nowhere_afterwards(given, django_capture_on_commit_callbacks):
    judge, _ = given
    images = [frame_name(frame.sha256, frame.mime) for frame in Frame.objects.all()]
    assert SENTINEL in everything_stored()
    assert all(frame_storage().exists(image) for image in images)
    with django_capture_on_commit_callbacks(execute=True):
        withdrawal = withdraw_everything(judge=judge)
    assert withdrawal.removed == NOTHING | {"task": 1, "vote": 1}
    assert SENTINEL.lower() not in everything_stored().lower()
    assert not any(frame_storage().exists(image) for image in images)


def test_the_battle_is_void_and_the_label_is_excluded_as_withdrawn(given):
    judge, battle = given
    withdraw_everything(judge=judge)
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID
    corpus = read_corpus(Board.DEMO)
    assert [Reason(reason) for reason in corpus.reason] == [Reason.WITHDRAWN]
    assert Vote.objects.count() == 1


def test_anothers_vote_on_a_withdrawn_task_stays_theirs_and_rates_nobody(given):
    judge, battle = given
    other = make_judge()
    receipt = other.receipts.get()
    vote = Vote.objects.create(
        battle=battle,
        judge=other,
        receipt=receipt,
        choice="tie",
        by_submitter=False,
        note="Mine.",
        locked_at=timezone.now(),
    )
    withdraw_everything(judge=judge)
    vote.refresh_from_db()
    assert vote.note == "Mine."
    assert set(map(Reason, read_corpus(Board.DEMO).reason)) == {Reason.WITHDRAWN}


def test_a_race_that_runs_meanwhile_writes_nothing_more(given):
    judge, _ = given
    battle = make_battle(task=make_task(judge))
    ticket = start_attempt(battle_id=battle.pk, worker="test:1")
    recorder = Recorder(attempt_id=ticket.attempt_id, token=ticket.token)
    recorder.write(started("A"))
    withdraw_everything(judge=judge)
    with pytest.raises(AttemptLost):
        recorder.write(step("A", title=SENTINEL))
    assert SENTINEL not in everything_stored()


def test_an_image_that_another_battle_shows_too_stays(given, django_capture_on_commit_callbacks):
    judge, battle = given
    shared = Frame.objects.filter(lane__attempt__battle=battle).first()
    other = race(make_battle())
    mine = Frame.objects.filter(lane__attempt__battle=other).first()
    Frame.objects.filter(pk=mine.pk).update(sha256=shared.sha256)
    with django_capture_on_commit_callbacks(execute=True):
        withdraw_everything(judge=judge)
    assert frame_storage().exists(frame_name(shared.sha256, shared.mime))


def test_a_second_withdrawal_is_refused_since_nobody_is_this_judge_any_more(given):
    judge, _ = given
    withdraw_everything(judge=judge)
    with pytest.raises(Gone) as refusal:
        withdraw_everything(judge=judge)
    assert refusal.value.code == "erased"
    assert Task.objects.count() == 1
