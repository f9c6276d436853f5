"""What a judge wrote, and what they said of single lanes, is found nowhere after a withdrawal; the counts add up."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from battles.models import Battle, Frame, Step
from governance.consent import ConsentNeeded
from governance.models import JournalEntry, Judge
from governance.withdrawals import withdraw_everything
from judging.access import NoSuchBattle
from judging.accounts import bind_device
from judging.attention import record_attention
from judging.labels import annotate, click_next, judge_step
from judging.models import (
    Annotation,
    Attention,
    Click,
    Completion,
    Report,
    StepOpened,
    StepVerdict,
    Vote,
    VoteRevision,
)
from judging.objections import report_problem, skip
from judging.repeats import cast_repeat
from judging.votes import cast_vote
from tests.battles.factories import lane_of, make_judge, make_task, make_votable
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


@pytest.fixture
def joined():
    """An account and a device that both said everything there is to say of one battle; the device has signed in."""
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    account, device = sign_in(make_judge()), make_judge()
    for judge in (account, device):
        written(battle, judge)
        written(battle, judge, "B", confidence="high", reasons=["correct"])
        marked(battle, judge)
        opened = Step.objects.filter(lane=lane_of(battle, "A")).values_list("pk", flat=True)
        record_attention(battle=battle, judge=judge, focus_ms=900, steps=opened)
    bind_device(device=device, account=account.account.account, actor="system:test")
    return account, Judge.objects.get(pk=device.pk)


#: What may stay under a device that signed in, by model, and how it must be: none of it says anything.
LEFT = {
    "consentreceipt": {},
    "vote": {"withdrawn_at__isnull": False, "note": "", "reasons": [], "confidence": "", "idempotency_key": ""},
    "stepverdict": {"verdict": "", "erased_at__isnull": False},
    "annotation": {"note__isnull": True, "x__isnull": True, "erased_at__isnull": False},
    "click": {"x__isnull": True, "erased_at__isnull": False},
}


def test_nothing_stands_under_a_device_that_signed_in(joined):
    """The account's own word stands, so that the device's would outlive every withdrawal of the account."""
    account, device = joined
    found = {}
    for related in Judge._meta.related_objects:
        rows = related.related_model._default_manager.filter(**{related.field.name: device})
        if rows.exists():
            found[related.related_model._meta.model_name] = rows
    assert set(found) == set(LEFT)
    for name, rows in found.items():
        assert rows.filter(**LEFT[name]).count() == rows.count(), name
    assert not Completion.objects.filter(vote__judge=device).exists()
    [before] = VoteRevision.objects.filter(vote__judge=device)
    assert (before.completions, before.confidence) == (None, None)
    # What the account said itself is as it was.
    vote = Vote.objects.get(judge=account)
    assert (vote.withdrawn_at, vote.confidence, vote.completions.count()) == (None, "high", 1)
    assert Attention.objects.get().judge == account
    bound = JournalEntry.objects.get(action="judging:account:bind", detail__device=device.pk)
    assert bound.detail["left"] == {"click": 1, "step verdict": 1, "vote": 1}


def test_whoever_takes_everything_back_on_one_device_leaves_nothing_of_another(joined):
    account, _ = joined
    withdraw_everything(judge=account)
    assert SENTINEL.lower() not in everything_stored().lower()
    assert not Vote.objects.filter(withdrawn_at=None).exists()
    assert not Completion.objects.exists()
    assert not VoteRevision.objects.filter(erased_at=None).exists()
    for model in (Annotation, Click, StepVerdict):
        assert not model.objects.filter(erased_at=None).exists(), model
    for model in (Attention, StepOpened):
        assert not model.objects.exists(), model


def test_a_form_of_another_tab_is_refused_once_the_device_signed_in(joined):
    """It would be stored under somebody who is nobody any more, where nobody could take it back."""
    _, device = joined
    another = make_votable(kind=Battle.Kind.PRACTICE)
    with pytest.raises(ConsentNeeded):
        written(another, device)
    with pytest.raises(NoSuchBattle):
        record_attention(battle=another, judge=device, focus_ms=900)
    assert not Attention.objects.filter(battle=another).exists()
    assert bind_device(device=device, account="another", actor="system:test") != device


def test_a_battle_that_both_reported_keeps_both_tickets_and_one_persons_words(given):
    """Its poster may report what somebody of the pool, who is the same person, has reported."""
    device = make_judge()
    battle = offer(make_votable(task=make_task(device)))
    account = make_signed_in()
    hand_to(battle, account)
    for judge in (account, device):
        report_problem(battle=battle, judge=judge, kind="private", note=f"{judge.pk} saw {SENTINEL}.")
    bind_device(device=device, account=account.account.account, actor="system:test")
    told = dict(Report.objects.filter(battle=battle).values_list("judge", "note"))
    assert told == {account.pk: f"{account.pk} saw {SENTINEL}.", device.pk: ""}
    withdraw_everything(judge=account)
    withdraw_everything(judge=given)
    assert SENTINEL.lower() not in everything_stored().lower()
