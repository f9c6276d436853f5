"""What a judge wrote, and what they said of single lanes, is found nowhere after a withdrawal; the counts add up."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from battles.models import Battle, Frame, Step
from governance.withdrawals import withdraw_everything
from judging.accounts import bind_device
from judging.labels import annotate, click_next, judge_step
from judging.models import Annotation, Report, StepVerdict, Vote, VoteRevision
from judging.objections import report_problem, skip
from judging.repeats import cast_repeat
from judging.votes import cast_vote
from tests.battles.factories import lane_of, make_judge, make_votable
from tests.governance.test_withdrawals import SENTINEL, everything_stored
from tests.judging.handing import ballot_for, hand_to, make_signed_in, offer, sign_in

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def written(battle, judge, choice="A", **fields):
    """A vote with words wherever there is room for some."""
    lane = str(lane_of(battle, "A").pk)
    ballot = ballot_for(battle, choice, note=f"{SENTINEL} did it.", completions={lane: "partly"}, **fields)
    return cast_vote(battle=battle, judge=judge, ballot=ballot, idempotency_key=SENTINEL)


def marked(battle, judge):
    """A step verdict, a box with words, and a click."""
    step = Step.objects.get(lane=lane_of(battle, "A"), number=1)
    frame = Frame.objects.filter(lane=lane_of(battle, "A")).first()
    judge_step(battle=battle, judge=judge, step_id=step.pk, verdict="wrong")
    annotate(battle=battle, judge=judge, frame_id=frame.pk, box=(0.1, 0.1, 0.2, 0.2), tag="private_data", note=SENTINEL)
    click_next(battle=battle, judge=judge, frame_id=frame.pk, point=(0.5, 0.5), milliseconds=800)


@pytest.fixture
def given():
    """A judge who left words in every place that a judge can leave words in."""
    battle = offer(make_votable())
    judge = make_signed_in()
    first = hand_to(battle, judge, comes_back=True)
    written(battle, judge)
    written(battle, judge, "B", confidence="high")
    marked(battle, judge)
    hand_to(battle, judge, swapped=True, first=first)
    cast_repeat(battle=battle, judge=judge, ballot=ballot_for(battle, "A", note=f"Again {SENTINEL}."))
    reported, skipped = make_votable(kind=Battle.Kind.PRACTICE), make_votable(kind=Battle.Kind.PRACTICE)
    report_problem(battle=reported, judge=judge, kind="private", note=f"It shows {SENTINEL}.")
    skip(battle=skipped, judge=judge, reason="other")
    return judge


def test_what_a_judge_wrote_is_found_nowhere_afterwards(given):
    assert everything_stored().count(SENTINEL) >= 5
    withdraw_everything(judge=given)
    assert SENTINEL.lower() not in everything_stored().lower()


def test_a_report_stays_open_without_its_words(given):
    withdraw_everything(judge=given)
    report = Report.objects.get()
    assert (report.kind, report.note, report.resolved_at) == ("private", "", None)


def test_verdicts_on_lanes_go_from_earlier_versions_of_a_vote_too_and_the_row_stays(given):
    [before] = VoteRevision.objects.all()
    assert before.completions
    withdraw_everything(judge=given)
    [after] = VoteRevision.objects.all()
    assert (after.completions, after.confidence, after.number) == (None, None, before.number)
    assert after.erased_at is not None


def test_nothing_else_of_an_earlier_version_can_be_changed(given):
    for change in ({"choice": "tie"}, {"erased_at": timezone.now()}, {"completions": None}):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            VoteRevision.objects.update(**change)


def test_what_a_second_device_said_twice_is_emptied_when_it_signs_in(given):
    """The account's own word stands, so that the device's would outlive every withdrawal of the account."""
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    account, device = sign_in(make_judge()), make_judge()
    for judge in (account, device):
        written(battle, judge)
        marked(battle, judge)
    bind_device(device=device, account=account.account.account, actor="system:test")
    assert (Vote.objects.get(judge=device).note, StepVerdict.objects.get(judge=device).verdict) == ("", "")
    withdraw_everything(judge=account)
    withdraw_everything(judge=given)
    assert SENTINEL.lower() not in everything_stored().lower()
    assert not Annotation.objects.filter(erased_at__isnull=True).exists()
