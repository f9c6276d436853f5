"""Withdrawals while something else happens: signing in, voting, a second browser, a worker that is killed."""

import threading
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from battles.models import Frame, Task
from governance.dataset.recalls import snapshots_touched
from governance.dataset_models import Snapshot, SnapshotShare
from governance.errors import ArenaError
from governance.models import Judge, LedgerEntry, Withdrawal
from governance.recovery_codes import recovery_code
from governance.withdrawal_sweep import sweep_withdrawals
from governance.withdrawals import act_on, read_wanted, request_withdrawal, withdraw_everything
from judging.accounts import bind_device, is_signed_in
from judging.labels import annotate
from judging.models import JudgeAccount, Vote
from judging.repeats import cast_repeat
from judging.votes import Ballot, cast_vote
from tests.battles.factories import lane_of, make_judge, make_task, make_votable
from tests.governance.test_withdrawals import SENTINEL, everything_stored
from tests.judging.handing import ballot_for, hand_to, make_signed_in, offer, say, sign_in

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def letter(judge, what="everything", **ago):
    received_at = timezone.now() - timedelta(**ago)
    return request_withdrawal(
        judge=judge, actor="operator:1", wanted=read_wanted(what), channel="mail", received_at=received_at
    )


def at_once(*what):
    """Run these at one moment, each with a connection of its own; returns what went wrong that is no refusal."""
    together = threading.Barrier(len(what))
    failures = []

    def run(act):
        try:
            together.wait()
            act()
        except ArenaError:
            pass
        except Exception as problem:  # a thread's failure must reach the test
            failures.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(act,)) for act in what]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_a_letter_about_a_browser_holds_though_it_signs_in_before_anybody_acts():
    """Afterwards the labels would be the account's, and the letter about somebody who has none."""
    device, account = make_judge(), make_signed_in()
    task = make_task(device, instruction=f"Look up {SENTINEL} for me.")
    waits = letter(device, days=1)
    mine = make_task(account)
    binding = JudgeAccount.objects.get(judge=account).account
    assert bind_device(device=device, account=binding, actor="system:test") == account
    waits.refresh_from_db()
    assert waits.corpus_done_at is not None
    assert waits.removed["task"] == 1
    assert SENTINEL not in everything_stored()
    task.refresh_from_db()
    assert task.judge_id == device.pk
    # What the account gave itself was nobody's to take.
    assert Task.objects.get(pk=mine.pk).withdrawn_at is None


def test_a_new_account_is_never_bound_to_somebody_who_is_nobody_any_more():
    device = make_judge()
    make_task(device)
    letter(device, days=1)
    judge = bind_device(device=device, account="anna", actor="system:test")
    assert judge != device
    assert judge.erased_at is None
    assert is_signed_in(judge)


def test_a_letter_about_one_kind_leaves_the_rest_to_the_account():
    device = make_judge()
    battle = make_votable(task=make_task(device))
    cast_vote(battle=battle, judge=device, ballot=Ballot(choice="tie", note=SENTINEL))
    letter(device, "kind:vote", days=1)
    assert bind_device(device=device, account="anna", actor="system:test") == device
    assert SENTINEL not in everything_stored()
    assert Task.objects.get(judge=device).withdrawn_at is None


def test_a_snapshot_with_what_a_browser_gave_is_touched_by_what_its_account_takes_back():
    device, account = make_judge(), make_signed_in()
    make_task(device)
    snapshot = Snapshot.objects.create(digest="d" * 64, manifest="{}", path="one", as_of=timezone.now())
    SnapshotShare.objects.create(snapshot=snapshot, judge=device, kind="task", labels=1)
    binding = JudgeAccount.objects.get(judge=account).account
    bind_device(device=device, account=binding, actor="system:test")
    assert list(snapshots_touched(judge=account, kinds=["task"])) == [snapshot]


def test_a_second_look_that_is_changed_after_it_was_withdrawn_can_be_withdrawn_again():
    battle, judge = offer(make_votable()), make_signed_in()
    first = hand_to(battle, judge, comes_back=True)
    say(battle, judge, "A")
    hand_to(battle, judge, swapped=True, first=first)
    cast_repeat(battle=battle, judge=judge, ballot=ballot_for(battle, "A"))
    act_on(
        withdrawal=request_withdrawal(judge=judge, actor="judge:x", wanted=read_wanted("kind:vote")), actor="judge:x"
    )
    changed = cast_repeat(battle=battle, judge=judge, ballot=ballot_for(battle, "B", note=f"Again {SENTINEL}."))
    assert changed.withdrawn_at is None
    withdraw_everything(judge=judge)
    assert SENTINEL not in everything_stored()


def test_where_details_stood_on_the_pages_of_a_withdrawn_task_is_forgotten():
    judge = make_judge()
    battle = make_votable(task=make_task(judge))
    frames = Frame.objects.filter(lane__attempt__battle=battle)
    frames.update(text_boxes=[[1, 2, 3, 4, "email"]], picture_boxes=[[1, 2, 3, 4, "phone"]])
    # One that could not be stored has a digest and no size.
    frames.filter(lane=lane_of(battle, "A")).update(size=0)
    withdraw_everything(judge=judge)
    assert set(frames.values_list("sha256", "size")) == {("", 0)}
    assert all(not frame.text_boxes and not frame.picture_boxes for frame in frames)


def test_who_is_forgotten_leaves_no_key_of_a_client_behind():
    judge = make_judge()
    make_task(judge, submission_key=f"{SENTINEL}-1")
    act_on(withdrawal=request_withdrawal(judge=judge, actor="judge:x", wanted=read_wanted("identity")), actor="judge:x")
    assert SENTINEL not in everything_stored()
    assert Task.objects.get(judge=judge).withdrawn_at is None


def test_what_was_asked_on_the_site_waits_for_no_deadline_though_its_worker_was_killed():
    judge, other = make_judge(), make_judge()
    for giver in (judge, other):
        make_task(giver)
    asked, wrote = request_withdrawal(judge=judge, actor="judge:x"), letter(other, hours=1)
    assert sweep_withdrawals() == [asked]
    wrote.refresh_from_db()
    assert wrote.corpus_done_at is None


def test_one_that_fails_in_a_way_nobody_thought_of_does_not_keep_the_others(monkeypatch, caplog):
    broken, sound = make_judge(), make_judge()
    for judge in (broken, sound):
        make_task(judge)
    first, second = letter(broken, days=6, hours=2), letter(sound, days=6, hours=1)

    def act(*, withdrawal, actor):
        if withdrawal.judge_id == broken.pk:
            raise ValueError(f"cannot read {SENTINEL}")
        return act_on(withdrawal=withdrawal, actor=actor)

    monkeypatch.setattr("governance.withdrawal_sweep.act_on", act)
    assert sweep_withdrawals() == [second]
    assert str(first.pk) in caplog.text
    assert SENTINEL not in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_between_erasing_and_stamping_has_done_nothing_and_the_next_does_it_all(monkeypatch):
    judge = make_judge()
    make_task(judge, instruction=f"Look up {SENTINEL} for me.")
    asked = request_withdrawal(judge=judge, actor="judge:x")

    def killed(**_):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with monkeypatch.context() as patched:
        patched.setattr("governance.withdrawals.labels_withdrawn.send", killed)
        with pytest.raises(OperationalError):
            act_on(withdrawal=asked, actor="judge:x")
    connection.close()
    asked.refresh_from_db()
    assert asked.corpus_done_at is None
    assert SENTINEL in everything_stored()
    assert sweep_withdrawals() == [asked]
    assert SENTINEL not in everything_stored()
    assert LedgerEntry.objects.filter(kind="governance:withdrawal:done").count() == 1


@pytest.mark.django_db(transaction=True)
def test_nothing_is_left_of_what_is_said_while_everything_is_taken_back():
    battle, judge = make_votable(), sign_in(make_judge())
    Task.objects.filter(pk=battle.task_id).update(judge=judge)
    frame = lane_of(battle, "A").frames.first()
    box = (0.1, 0.1, 0.2, 0.2)

    def vote():
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie", note=SENTINEL), idempotency_key=SENTINEL)

    def mark():
        annotate(battle=battle, judge=judge, frame_id=frame.pk, box=box, tag="private_data", note=SENTINEL)

    assert at_once(vote, mark, lambda: withdraw_everything(judge=judge)) == []
    assert SENTINEL not in everything_stored()
    assert not Vote.objects.filter(judge=judge, withdrawn_at=None).exists()


@pytest.mark.django_db(transaction=True)
def test_the_same_code_in_two_browsers_at_once_takes_back_once(settings):
    # Whoever comes second gets a page, in a checkout that may never have run.
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    judge = make_judge()
    make_task(judge)
    code = recovery_code(judge)
    answers = []

    def browser():
        answers.append(Client().post("/withdraw", {"what": "everything", "code": code}).status_code)

    assert at_once(browser, browser) == []
    # The slower one asked for the same, or came when nobody had the code any more.
    assert 302 in answers
    assert set(answers) <= {302, 410, 422}
    assert Withdrawal.objects.count() == 1
    assert LedgerEntry.objects.filter(kind="governance:withdrawal:done").count() == 1


@pytest.mark.django_db(transaction=True)
def test_signing_in_while_everything_is_taken_back_leaves_no_account_without_a_person():
    device = make_judge()
    make_task(device)
    made = []

    def bind():
        made.append(bind_device(device=device, account="anna", actor="system:test"))

    assert at_once(bind, lambda: withdraw_everything(judge=device)) == []
    bound = JudgeAccount.in_use().filter(account="anna").first()
    assert bound is None or Judge.objects.get(pk=bound.judge_id).erased_at is None
    assert Task.objects.get(judge=device).withdrawn_at is not None
