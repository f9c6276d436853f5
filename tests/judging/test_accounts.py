"""Signing in: one person is one judge on every device, and a withdrawal forgets which account that was."""

import threading

import pytest
from django.db import connection
from django.utils import timezone

from battles.models import Battle, Frame, Step, Task
from governance.errors import Conflict
from governance.withdrawals import withdraw_everything
from judging.access import may_read
from judging.accounts import BindingRefused, bind_device, forget_account, is_signed_in
from judging.labels import annotate, click_next, judge_step
from judging.models import Annotation, Click, HeldLabel, JudgeAccount, StepVerdict, Vote
from ratings.corpus import read_corpus
from ratings.models import Board
from tests.battles.factories import make_agent, make_judge, make_task, make_votable
from tests.judging.handing import hand_to, make_signed_in, offer, say

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def bind(device, account="anna"):
    return bind_device(device=device, account=account, actor="system:test")


def test_the_first_device_gives_the_account_its_judge():
    device = make_judge()
    assert not is_signed_in(device)
    assert not is_signed_in(None)
    assert bind(device) == bind(device) == device
    assert is_signed_in(device)
    assert JudgeAccount.objects.count() == 1


def test_an_account_needs_a_name_and_a_browser_has_one_account():
    device = make_judge()
    with pytest.raises(BindingRefused):
        bind(device, "")
    bind(device)
    with pytest.raises(Conflict) as refusal:
        bind(device, "berta")
    assert refusal.value.code == "other_account"


def test_what_a_second_device_gave_becomes_the_accounts():
    judge, device = bind(make_judge()), make_judge()
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    vote = say(battle, device, "A")
    task = make_task(device)
    frame = Frame.objects.filter(lane__attempt__battle=battle).first()
    step = Step.objects.filter(lane__attempt__battle=battle, number=1).first()
    judge_step(battle=battle, judge=device, step_id=step.pk, verdict="wrong")
    annotate(
        battle=battle, judge=device, frame_id=frame.pk, box=(0, 0, 0.5, 0.5), tag="wrong_target", note="Not this one."
    )
    click_next(battle=battle, judge=device, frame_id=frame.pk, point=(0.2, 0.4), milliseconds=900)
    assert bind(device) == judge
    vote.refresh_from_db()
    task.refresh_from_db()
    assert (vote.judge, task.judge) == (judge, judge)
    assert StepVerdict.objects.get().judge == judge
    alive = Annotation.objects.get(erased_at__isnull=True)
    assert (alive.judge, alive.note, alive.x, alive.width) == (judge, "Not this one.", 0, 0.5)
    moved = Click.objects.get(erased_at__isnull=True)
    assert (moved.judge, moved.x, moved.milliseconds) == (judge, 0.2, 900)
    assert not Vote.objects.filter(judge=device).exists()


def test_one_person_does_not_vote_twice_on_one_battle():
    judge, device = bind(make_judge()), make_judge()
    battle = make_votable(kind=Battle.Kind.PRACTICE, judges_needed=3)
    own, twice = say(battle, judge, "A"), say(battle, device, "B")
    bind(device)
    own.refresh_from_db()
    twice.refresh_from_db()
    assert (own.judge, twice.judge) == (judge, device)
    held = HeldLabel.objects.get()
    assert (held.vote, held.decision) == (twice, "excluded")
    bind(device)
    assert HeldLabel.objects.count() == 1


def test_a_vote_on_ones_own_task_from_another_device_is_not_independent():
    judge, device = bind(make_judge()), make_judge()
    battle = make_votable(task=make_task(device))
    vote = Vote.objects.create(
        battle=battle, judge=judge, receipt=judge.receipts.get(), choice="tie", by_submitter=False
    )
    bind(device)
    vote.refresh_from_db()
    assert vote.by_submitter


def test_a_submission_key_used_on_both_devices_loses_no_task():
    judge, device = bind(make_judge()), make_judge()
    for owner in (judge, device):
        make_task(owner, submission_key="form-1")
    bind(device)
    assert sorted(Task.objects.filter(judge=judge).values_list("submission_key", flat=True)) == ["", "form-1"]


def test_a_withdrawal_erases_the_binding():
    judge = make_signed_in()
    withdraw_everything(judge=judge)
    assert not JudgeAccount.objects.exists()
    assert not is_signed_in(judge)


def test_a_person_can_be_forgotten_while_their_labels_count_on():
    device = make_judge()
    bind(device)
    battle = offer(make_votable(agents=(make_agent(), make_agent())))
    hand_to(battle, device)
    say(battle, device, "A")
    assert read_corpus(Board.HEADLINE).rated.all()
    forget_account(judge=device, actor="operator:1")
    forget_account(judge=device, actor="operator:1")
    assert not is_signed_in(device)
    assert not may_read(battle, device)
    assert not JudgeAccount.objects.filter(account="anna").exists()
    assert read_corpus(Board.HEADLINE).rated.all()
    assert bind(make_judge()) != device
    with pytest.raises(Conflict):
        forget_account(judge=make_judge(), actor="operator:1")


@pytest.mark.django_db(transaction=True)
def test_eight_devices_that_sign_in_at_once_are_one_judge():
    devices = [make_judge() for _ in range(8)]
    judges, failures = [], []
    barrier = threading.Barrier(8)

    def sign_in(device):
        try:
            barrier.wait(timeout=30)
            judges.append(bind(device))
        except Exception as error:  # whatever it is, the test must see it
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=sign_in, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert failures == []
    assert len(set(judges)) == 1
    assert JudgeAccount.objects.get().bound_at <= timezone.now()
