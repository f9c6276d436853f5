"""What two do in the same moment: each gets an answer, and nothing is left where nobody could take it back."""

import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from battles import withdrawals
from battles.models import Battle
from governance.consent import ConsentNeeded, current_text, give_consent
from governance.errors import ArenaError
from governance.models import ConsentReceipt, Judge, Withdrawal
from governance.operator_acts import perform
from governance.withdrawals import leaving, request_withdrawal, withdraw_everything
from governance.withdrawals_admin import WithdrawalAdmin
from judging.accounts import bind_device, forget_account
from judging.admin.decisions import ReportAdmin
from judging.labels import annotate, click_next, judge_step
from judging.models import JudgeAccount, Report, Vote
from judging.objections import report_problem
from judging.pool import next_for_judge, offer_battle
from judging.signals import vote_locked
from judging.votes import Ballot, cast_vote, lock_vote
from tests.arena_site.services.conftest import wait_until
from tests.battles.factories import lane_of, make_judge, make_task, make_votable
from tests.governance.stopping import lock, somebody_waits_for_a_lock, stopped_once
from tests.judging.handing import hand_to, make_signed_in, offer, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]

OPERATOR = "operator:1"
ENDS_SECONDS = 60.0


@pytest.fixture
def beside() -> Iterator[Callable[[Callable[[], object]], Future[object]]]:
    """``beside(act)`` does it in a thread with a connection of its own."""
    with ThreadPoolExecutor() as threads:

        def start(act: Callable[[], object]) -> Future[object]:
            def do() -> object:
                try:
                    return act()
                finally:
                    connection.close()

            return threads.submit(do)

        yield start


def bind(device: Judge) -> Judge:
    return bind_device(device=device, account="anna", actor="system:test")


def everything(judge: Judge) -> None:
    withdraw_everything(judge=judge)


def who_it_is(judge: Judge) -> None:
    forget_account(judge=judge, actor="system:test")


@pytest.mark.parametrize("takes_back", [everything, who_it_is])
def test_a_device_that_signs_in_while_its_account_goes_gives_nothing_to_a_judge_who_is_nobody(beside, takes_back):
    judge, device = bind(make_judge()), make_judge()
    task = make_task(device)
    vote = say(make_votable(kind=Battle.Kind.PRACTICE), device, "A")
    with transaction.atomic():
        Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
        signing_in = beside(lambda: bind(device))
        wait_until(somebody_waits_for_a_lock)
        takes_back(judge)
    assert signing_in.result(ENDS_SECONDS) == device
    vote.refresh_from_db()
    task.refresh_from_db()
    assert vote.judge_id == task.judge_id == device.pk
    assert JudgeAccount.objects.get(account="anna").judge_id == device.pk
    withdraw_everything(judge=device)
    vote.refresh_from_db()
    assert vote.withdrawn_at is not None


def test_whoever_agrees_while_they_take_everything_back_leaves_no_receipt_with_nobody(beside):
    judge, text = make_judge(consented=False), current_text()
    with transaction.atomic():
        lock(judge)
        agreed = beside(lambda: give_consent(judge=judge, text=text, rendered=text.sentence))
        wait_until(somebody_waits_for_a_lock, ENDS_SECONDS)
        withdraw_everything(judge=judge)
    with pytest.raises(ConsentNeeded):
        agreed.result(ENDS_SECONDS)
    assert Judge.objects.get(pk=judge.pk).erased_at is not None
    assert not ConsentReceipt.objects.filter(judge=judge).exists()


def test_a_lock_holds_and_others_hear_of_it_though_one_who_heard_of_it_failed():
    heard = []

    def fails(**_: object) -> None:
        raise OperationalError("somebody's locks")

    def hears(*, vote_id: uuid.UUID, **_: object) -> None:
        heard.append(vote_id)

    vote = say(make_votable(kind=Battle.Kind.PRACTICE), make_judge(), "A", lock=False)
    vote_locked.connect(fails)
    vote_locked.connect(hears)
    try:
        lock_vote(battle=vote.battle, judge=vote.judge)
    finally:
        vote_locked.disconnect(fails)
        vote_locked.disconnect(hears)
    assert heard == [vote.pk]
    vote.refresh_from_db()
    assert vote.locked_at is not None


def test_a_vote_does_not_stop_the_withdrawal_of_its_task(beside, monkeypatch):
    poster, voter = make_judge(), make_signed_in()
    battle = offer(make_votable(task=make_task(poster)))
    hand_to(battle, voter)
    holds_tasks, void = threading.Event(), withdrawals._void
    votes: list[Future[object]] = []

    def once_the_vote_is_there_or_waits(*about: object) -> None:
        holds_tasks.set()
        wait_until(lambda: votes and (votes[0].done() or somebody_waits_for_a_lock()))
        void(*about)

    monkeypatch.setattr(withdrawals, "_void", once_the_vote_is_there_or_waits)
    withdrawing = beside(lambda: withdraw_everything(judge=poster))
    assert holds_tasks.wait(ENDS_SECONDS)
    votes.append(beside(lambda: cast_vote(battle=battle, judge=voter, ballot=Ballot(choice="tie"))))
    withdrawing.result(ENDS_SECONDS)
    votes[0].result(ENDS_SECONDS)
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID
    assert battle.task.withdrawn_at is not None


def test_an_act_on_many_rows_that_somebodys_vote_stops_is_done_once_more(beside, monkeypatch):
    poster, voter = make_judge(), make_signed_in()
    battle = offer(make_votable(task=make_task(poster)))
    hand_to(battle, voter)
    letters = [request_withdrawal(judge=who, actor=OPERATOR, channel="mail") for who in (poster, voter)]
    act = next(act for act in WithdrawalAdmin.acts if act.name == "act")
    voided, tried = threading.Event(), []
    void = withdrawals._void

    def then_somebody_votes(*about: object) -> None:
        void(*about)
        tried.append(about)
        voided.set()
        if len(tried) == 1:
            wait_until(somebody_waits_for_a_lock)

    monkeypatch.setattr(withdrawals, "_void", then_somebody_votes)
    acting = beside(lambda: perform(act, rows=letters, actor=OPERATOR, values={"reason": "Two letters."}))
    assert voided.wait(ENDS_SECONDS)
    voting = beside(lambda: cast_vote(battle=battle, judge=voter, ballot=Ballot(choice="tie")))
    acting.result(ENDS_SECONDS)
    assert isinstance(voting.exception(ENDS_SECONDS), ArenaError | None)
    assert Withdrawal.objects.filter(corpus_done_at__isnull=False).count() == 2
    assert not Vote.objects.filter(withdrawn_at__isnull=True).exists()


def test_two_reports_of_one_battle_are_voided_in_one_act():
    poster = make_judge()
    battle = offer(make_votable(task=make_task(poster)))
    report_problem(battle=battle, judge=poster, kind="other")
    now = timezone.now()
    Report.objects.create(battle=battle, judge=make_signed_in(), kind="other", opened_at=now, due_at=now)
    act = next(act for act in ReportAdmin.acts if act.name == "void")
    perform(act, rows=list(Report.objects.all()), actor=OPERATOR, values={"reason": "Both are right."})
    assert set(Report.objects.values_list("resolution", flat=True)) == {"voided"}


def test_who_took_one_vote_back_is_still_asked(beside):
    judge, other = make_judge(), make_judge()
    vote = say(make_votable(kind=Battle.Kind.PRACTICE), judge, "A")
    Withdrawal.objects.create(judge=judge, scope="battle", subject=vote.battle_id, channel="site")
    assert leaving([judge.pk, other.pk]) == set()
    withdraw_everything(judge=other)
    assert leaving([judge.pk, other.pk]) == {other.pk}


def judge_a_step(judge: Judge, battle: Battle) -> object:
    step = lane_of(battle, "A").steps.first()
    return judge_step(battle=battle, judge=judge, step_id=step.pk, verdict="helpful")


def draw_a_box(judge: Judge, battle: Battle) -> object:
    frame = lane_of(battle, "A").frames.first()
    return annotate(battle=battle, judge=judge, frame_id=frame.pk, box=(0.1, 0.1, 0.2, 0.2), tag="wrong_target")


def click(judge: Judge, battle: Battle) -> object:
    frame = lane_of(battle, "A").frames.first()
    return click_next(battle=battle, judge=judge, frame_id=frame.pk, point=(0.5, 0.5), milliseconds=900)


def offer_it(judge: Judge, battle: Battle) -> object:
    return offer_battle(battle=battle, judge=judge)


@pytest.mark.parametrize("does", [judge_a_step, draw_a_box, click, offer_it])
def test_what_one_click_asks_for_is_done_though_somebodys_locks_stopped_it(settings, does):
    settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"
    judge = make_judge()
    battle = make_votable(task=make_task(judge))
    made = stopped_once(lambda: does(judge, battle), at=battle, meanwhile=lambda: lock(judge))
    assert type(made)._default_manager.get() == made


def test_the_next_battle_is_handed_out_though_somebodys_locks_stopped_it():
    judge = make_signed_in(practised=3)
    battle = offer(make_votable())
    found = stopped_once(lambda: next_for_judge(judge=judge), at=battle, meanwhile=lambda: lock(judge))
    assert (found.reason, found.battle) == ("handed_out", battle)


def test_a_device_whose_letter_waits_signs_in_though_somebodys_locks_stopped_it():
    device = make_judge()
    battle = make_votable(task=make_task(device))
    letter = request_withdrawal(judge=device, actor=OPERATOR, channel="mail")
    judge = stopped_once(lambda: bind(device), at=battle, meanwhile=lambda: lock(device))
    letter.refresh_from_db()
    assert letter.corpus_done_at is not None
    assert JudgeAccount.objects.get(account="anna").judge == judge != device
