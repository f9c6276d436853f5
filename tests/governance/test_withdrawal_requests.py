"""Requests: which part, by whom, at most once; the sweep that keeps the promise; who somebody was, and is no more."""

import threading
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from battles.models import Battle, Task
from governance.consent import ConsentNeeded, has_consented, receipt_in_force
from governance.contributions import contributions
from governance.errors import Conflict
from governance.identities import IdentityTrace, identity_traces, register_identity_trace
from governance.models import JournalEntry, Judge, LedgerEntry, RecoveryCode, Withdrawal
from governance.recovery_codes import judge_of_code, recovery_code
from governance.withdrawal_clocks import CORPUS
from governance.withdrawal_sweep import running_clocks, sweep_withdrawals
from governance.withdrawals import (
    NothingToWithdraw,
    Wanted,
    WithdrawalRefused,
    act_on,
    call_off,
    read_wanted,
    request_withdrawal,
    withdraw_everything,
)
from judging.labels import annotate, judge_step
from judging.models import Annotation, JudgeAccount, StepVerdict, Vote
from judging.votes import Ballot, cast_vote, lock_vote
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.models import Board
from tests.battles.factories import lane_of, make_judge, make_task, make_votable
from tests.judging.handing import make_signed_in, say, sign_in

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def giver():
    """A signed-in judge with two tasks of their own, voted on and marked."""
    judge = sign_in(make_judge())
    for _ in range(2):
        battle = make_votable(task=make_task(judge))
        cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie", note="I know this one."))
        lock_vote(battle=battle, judge=judge)
        step = lane_of(battle, "A").steps.first()
        judge_step(battle=battle, judge=judge, step_id=step.pk, verdict="wrong")
    return judge


def ask(judge, text="everything", **fields):
    return request_withdrawal(judge=judge, actor=f"judge:{judge.pk}", wanted=read_wanted(text), **fields)


def act(judge, text):
    return act_on(withdrawal=ask(judge, text), actor=f"judge:{judge.pk}")


def received_ago(judge, text="everything", **span):
    return ask(judge, text, channel="mail", received_at=timezone.now() - timedelta(**span))


def standing(judge):
    """What is left of each kind that was given."""
    return (
        Task.objects.filter(judge=judge, withdrawn_at=None).count(),
        Vote.objects.filter(judge=judge, withdrawn_at=None).count(),
        StepVerdict.objects.filter(judge=judge, erased_at=None).count(),
    )


def test_every_kind_of_label_says_what_of_it_can_be_taken_back():
    assert {kind.kind for kind in contributions()} == {"task", "vote", "annotation", "step verdict", "click"}


def test_one_kind_goes_and_the_others_stay(giver):
    assert act(giver, "kind:vote").removed == {"vote": 2}
    assert standing(giver) == (2, 0, 2)
    assert JudgeAccount.objects.filter(judge=giver).exists()


def test_one_task_goes_with_what_its_poster_said_of_it(giver):
    task = Task.objects.filter(judge=giver).first()
    done = act(giver, f"task:{task.pk}")
    assert {kind: count for kind, count in done.removed.items() if count} == {"task": 1, "vote": 1, "step verdict": 1}
    assert standing(giver) == (1, 1, 1)
    assert task.battles.get().state == Battle.State.VOID


def test_the_labels_on_one_battle_go_and_its_task_stays(giver):
    battle = Battle.objects.filter(task__judge=giver).first()
    act(giver, f"battle:{battle.pk}")
    assert standing(giver) == (2, 1, 1)
    battle.refresh_from_db()
    assert battle.state != Battle.State.VOID


def test_nobody_takes_back_what_is_anothers_or_gone(giver):
    other = make_judge()
    task = Task.objects.filter(judge=giver).first()
    for text in (f"task:{task.pk}", "kind:click"):
        with pytest.raises(NothingToWithdraw):
            ask(other, text)
    act(giver, f"task:{task.pk}")
    with pytest.raises(NothingToWithdraw):
        ask(giver, f"task:{task.pk}")
    assert Withdrawal.objects.count() == 1


@pytest.mark.parametrize(
    "text", ["", "all", "kind:", "kind:secret", "task:", "task:7", "everything:x", "identity:vote"]
)
def test_what_is_no_part_is_refused(text):
    with pytest.raises(WithdrawalRefused):
        read_wanted(text)


def test_asking_twice_is_asking_once_and_nothing_comes_from_the_future(giver):
    assert ask(giver).pk == ask(giver).pk
    with pytest.raises(WithdrawalRefused):
        ask(giver, "kind:vote", received_at=timezone.now() + timedelta(minutes=1))
    assert Withdrawal.objects.count() == 1


def test_labels_stay_while_identity_goes(giver):
    """C33, first half: the votes count on, and nothing says whose they were."""
    battle = Battle.objects.filter(task__judge=giver).first()
    frame = lane_of(battle, "A").frames.first()
    for note in ("", "This is my own desk."):
        annotate(battle=battle, judge=giver, frame_id=frame.pk, box=(0.1, 0.1, 0.2, 0.2), tag="wrong_target", note=note)
    account = giver.account.account
    code = recovery_code(giver)
    before = JournalEntry.objects.count()
    done = act(giver, "identity")
    assert done.removed == {}
    assert standing(giver) == (2, 2, 2)
    assert set(map(Reason, read_corpus(Board.DEMO).reason)) == {Reason.RATED}
    # Still an account's label, so that it goes on rating; but of which account nobody can tell.
    assert JudgeAccount.objects.get(judge=giver).account != account
    assert judge_of_code(code) is None
    assert not Vote.objects.exclude(note="").exists()
    assert [found.note for found in Annotation.objects.filter(erased_at=None)] == [""]
    assert JournalEntry.objects.count() > before


def test_erased_judges_are_told_apart_in_the_audit_by_keys_that_name_nobody(giver):
    """C33, second half: rows of the audit stay as they are, with two opaque keys and when each was erased."""
    other = make_signed_in()
    say(make_votable(task=make_task(other)), other, "tie")
    audit = {judge.pk: set(JournalEntry.objects.filter(actor=f"judge:{judge.pk}")) for judge in (giver, other)}
    act(giver, "identity")
    withdraw_everything(judge=other)
    for judge in (giver, other):
        assert audit[judge.pk] <= set(JournalEntry.objects.filter(actor=f"judge:{judge.pk}"))
        judge.refresh_from_db()
        assert judge.erased_at is not None
    assert giver.pk != other.pk
    reasons = [Reason(reason) for reason in read_corpus(Board.DEMO).reason]
    assert sorted(reasons) == [Reason.RATED, Reason.RATED, Reason.WITHDRAWN]


def test_what_any_app_keeps_of_a_person_goes_in_the_same_transaction(giver, monkeypatch):
    """Tokens and links to exports register themselves, and open nothing from then on."""
    monkeypatch.setattr("governance.identities._traces", {trace.name: trace for trace in reversed(identity_traces())})
    tokens = {giver.pk: "a-token"}
    register_identity_trace(IdentityTrace("tokens", lambda judge, labels_stay: tokens.pop(judge.pk, None)))
    withdraw_everything(judge=giver)
    assert tokens == {}
    assert not RecoveryCode.objects.filter(judge=giver).exists()


def test_an_erased_judge_consents_to_nothing_any_more(giver):
    withdraw_everything(judge=giver)
    assert not has_consented(giver)
    with pytest.raises(ConsentNeeded):
        receipt_in_force(giver)


def test_a_code_is_there_from_the_first_consent_on_and_is_read_as_people_write_it():
    judge = make_judge()
    assert RecoveryCode.objects.filter(judge=judge).count() == 1
    code = recovery_code(judge)
    for typed in (code, code.lower(), code.replace("-", " "), code.replace("0", "O").replace("1", "l")):
        assert judge_of_code(typed) == judge
    for typed in ("", code[:-1], f"{code}0", "\udcff", "0000-0000-0000-0000"):
        assert judge_of_code(typed) is None
    assert recovery_code(make_judge()) != code


def test_codes_given_out_before_hold_when_the_secret_changes(settings):
    judge = make_judge()
    before = recovery_code(judge)
    settings.SECRET_KEY = "another secret of this site"
    assert recovery_code(judge) != before
    assert judge_of_code(before) == judge_of_code(recovery_code(judge)) == judge


def test_a_forgotten_queue_keeps_the_promise_a_day_before_it_is_due(giver):
    waits, is_due = received_ago(giver, "kind:vote", days=5, hours=23), received_ago(giver, "kind:task", days=6)
    assert sweep_withdrawals() == [is_due]
    is_due.refresh_from_db()
    waits.refresh_from_db()
    assert is_due.corpus_done_at < CORPUS.due_at(is_due.received_at)
    assert waits.corpus_done_at is None
    assert LedgerEntry.objects.filter(kind="governance:withdrawal:done").count() == 1


def test_a_second_sweep_changes_nothing(giver):
    received_ago(giver, days=6, hours=1)
    received_ago(make_judge(), days=4, hours=1)
    sweep_withdrawals()
    before = JournalEntry.objects.count()
    assert sweep_withdrawals() == []
    assert JournalEntry.objects.count() == before


def test_operators_are_reminded_once_of_what_is_due_soon_and_once_of_what_is_overdue(caplog):
    withdrawal = received_ago(make_judge(), days=4, minutes=1)
    for hours in (0, 1, 2):
        sweep_withdrawals(timezone.now() + timedelta(hours=hours))
    reminders = JournalEntry.objects.filter(action="governance:withdrawal:remind")
    assert [entry.detail for entry in reminders] == [{"clock": "corpus", "stage": "soon"}]
    assert str(withdrawal.pk) in caplog.text


def test_what_cannot_be_acted_on_stays_stands_out_and_quotes_no_row(giver, monkeypatch, caplog):
    withdrawal = received_ago(giver, days=8)

    def fail(**_):
        raise DatabaseError("Failing row contains (I know this one.)")

    monkeypatch.setattr("governance.withdrawal_sweep.act_on", fail)
    assert sweep_withdrawals() == []
    [running] = running_clocks()
    assert (running.withdrawal, running.overdue) == (withdrawal, True)
    assert JournalEntry.objects.get(action="governance:withdrawal:remind").detail["stage"] == "overdue"
    assert "I know this one" not in caplog.text


def test_what_was_called_off_is_left_alone_and_says_why(giver):
    withdrawal = received_ago(giver, days=6, hours=1)
    with pytest.raises(WithdrawalRefused):
        call_off(withdrawal=withdrawal, reason=" \n", actor="operator:1")
    call_off(withdrawal=withdrawal, reason="Entered for another judge.", actor="operator:1")
    assert sweep_withdrawals() == []
    assert standing(giver) == (2, 2, 2)
    with pytest.raises(Conflict):
        act_on(withdrawal=withdrawal, actor="operator:1")
    with pytest.raises(Conflict):
        call_off(withdrawal=withdrawal, reason="Again.", actor="operator:1")


def test_what_was_done_cannot_be_called_off(giver):
    with pytest.raises(Conflict):
        call_off(withdrawal=act(giver, "kind:vote"), reason="Too late.", actor="operator:1")


@pytest.mark.parametrize("channel", ["site", "code"])
def test_what_somebody_asked_for_on_the_site_is_done_and_not_called_off(giver, channel):
    withdrawal = ask(giver, "kind:vote", channel=channel)
    with pytest.raises(Conflict) as refused:
        call_off(withdrawal=withdrawal, reason="Too much work.", actor="operator:1")
    assert refused.value.code == "not_a_letter"
    withdrawal.refresh_from_db()
    assert withdrawal.called_off_at is None
    assert sweep_withdrawals() == [withdrawal]


@pytest.mark.django_db(transaction=True)
def test_a_button_and_two_sweeps_at_once_act_once():
    judge = make_judge()
    say(make_votable(task=make_task(judge)), judge, "tie")
    withdrawal = received_ago(judge, days=6, hours=1)
    together = threading.Barrier(3)
    failures = []

    def run(what):
        try:
            together.wait()
            what()
        except Exception as problem:  # a thread's failure must reach the test
            failures.append(problem)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=run, args=(what,))
        for what in (sweep_withdrawals, sweep_withdrawals, lambda: act_on(withdrawal=withdrawal, actor="operator:1"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert JournalEntry.objects.filter(action="governance:withdrawal:done").count() == 1
    assert Judge.objects.get(pk=judge.pk).erased_at is not None


def test_wanted_is_everything_unless_something_is_said():
    assert Wanted() == read_wanted("everything")
