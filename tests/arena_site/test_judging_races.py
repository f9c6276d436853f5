"""Judging when many do it at the same moment: every rule holds, and nobody is shown an error of ours."""

import threading
import time

import pytest
from django.core import signing
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from arena_site.seed import seed
from battles.models import Battle
from judging.identity import COOKIE, SALT
from judging.models import Assignment, ImpossibleMark, RefusedVote, Report, Vote
from judging.pool import PRACTICE_NEEDED
from tests.battles.factories import lane_of, make_judge, make_votable, set_on
from tests.judging.handing import hand_to, make_signed_in, offer, say, seated

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("a_named_operator", "nothing_comes_back"),
]


@pytest.fixture(autouse=True)
def texts(transactional_db):
    """Sentence and rubric are there before the crowd comes, as they are on a running site."""
    seed()


def browser(judge) -> Client:
    client = Client(raise_request_exception=False)
    client.cookies[COOKIE] = signing.Signer(salt=SALT).sign(judge.pk)
    return client


def crowd(size: int) -> list:
    """Judges to whom the pool is open; they practised on the same three battles."""
    practice = [make_votable(kind=Battle.Kind.PRACTICE) for _ in range(PRACTICE_NEEDED)]
    judges = [make_signed_in() for _ in range(size)]
    for judge in judges:
        for battle in practice:
            say(battle, judge, "tie", lock=False)
    return judges


def at_once(*requests) -> list:
    """Send all at the same moment, each from a thread of its own; returns the answers in the order of the requests."""
    answers = [None] * len(requests)
    barrier = threading.Barrier(len(requests))

    def send(number):
        try:
            barrier.wait(timeout=60)
            answers[number] = requests[number]()
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=(number,)) for number in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert None not in answers, "every request was answered"
    assert [answer.status_code for answer in answers if answer.status_code >= 500] == []
    return answers


def vote(judge, battle, slot="A", key="key", **fields):
    client, lane = browser(judge), str(lane_of(battle, slot).pk)
    return lambda: client.post(f"/battles/{battle.pk}/vote", {"choice": lane, "idempotency_key": key} | fields)


def lock(judge, battle, slot="A"):
    client, lane = browser(judge), str(lane_of(battle, slot).pk)
    return lambda: client.post(f"/battles/{battle.pk}/lock", {"choice": lane})


def objection(judge, battle, what, **fields):
    client = browser(judge)
    return lambda: client.post(f"/battles/{battle.pk}/{what}", fields)


def next_battle(judge):
    client = browser(judge)
    return lambda: client.get("/judge")


@pytest.mark.parametrize("times", [8, 32])
def test_one_vote_sent_many_times_is_one_vote(times):
    battle = make_votable()
    judge = seated(battle)
    answers = at_once(*(vote(judge, battle, key=f"key-{number % 2}") for number in range(times)))
    assert {answer.status_code for answer in answers} == {302}
    kept = Vote.objects.get(battle=battle)
    assert (kept.winner, kept.revisions.count()) == (lane_of(battle, "A"), 0)


@pytest.mark.parametrize(("judges", "seats"), [(8, 1), (16, 3), pytest.param(32, 3, marks=pytest.mark.soak)])
def test_a_crowd_gets_the_seats_there_are(judges, seats):
    battle = offer(make_votable(judges_needed=seats))
    answers = at_once(*(next_battle(judge) for judge in crowd(judges)))
    assert [answer.status_code for answer in answers].count(302) == seats
    assert Assignment.objects.filter(battle=battle, outcome="open").count() == seats


def test_three_judges_lock_at_once_and_the_battle_closes_once():
    battle = make_votable(judges_needed=3)
    judges = [seated(battle) for _ in range(3)]
    at_once(*(lock(judge, battle, slot) for judge in judges for slot in "AB"))
    battle.refresh_from_db()
    assert battle.state == Battle.State.CLOSED
    assert Vote.objects.filter(battle=battle, locked_at__isnull=False).count() == 3


def test_voting_skipping_and_giving_up_at_once_leave_one_ending():
    for _ in range(3):
        battle = make_votable()
        judge = seated(battle)
        at_once(
            vote(judge, battle),
            objection(judge, battle, "skip", reason="other"),
            objection(judge, battle, "impossible"),
            lock(judge, battle, "B"),
        )
        [assignment] = Assignment.objects.filter(battle=battle, judge=judge)
        voted = Vote.objects.filter(battle=battle, judge=judge).exists()
        said = ImpossibleMark.objects.filter(battle=battle, judge=judge).exists()
        assert not (voted and said)
        assert (assignment.outcome == "voted") is voted


def test_judges_who_all_find_it_impossible_void_it_once():
    battle = make_votable(judges_needed=3)
    judges = [seated(battle) for _ in range(3)]
    at_once(*(objection(judge, battle, "impossible") for judge in judges for _ in range(2)))
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID


def test_reports_and_judges_who_ask_again_after_a_lease_that_ran_out_never_stop_each_other():
    reporters, waiting = crowd(2), crowd(6)
    for _ in range(4):
        battle = offer(make_votable(judges_needed=3))
        for judge in reporters:
            hand_to(battle, judge)
        for judge in waiting:
            hand_to(battle, judge, minutes=-1)
        at_once(
            *(objection(judge, battle, "report", kind="broken") for judge in reporters),
            *(next_battle(judge) for judge in waiting),
        )
        # Whoever reports second may find it hidden already. Nobody is left with what nobody may see.
        assert Report.objects.filter(battle=battle).exists()
        assert not Assignment.objects.filter(battle=battle, outcome="open", leased_until__gt=timezone.now()).exists()
        assert {browser(judge).get(f"/battles/{battle.pk}").status_code for judge in waiting} == {404}
        Report.objects.filter(battle=battle).update(
            resolved_at=battle.created_at, resolution="voided", resolved_by="operator:1", resolved_reason="Broken."
        )
        set_on(Battle.objects.filter(pk=battle.pk), state=Battle.State.VOID, voided_at=battle.created_at)


def test_late_votes_of_a_crowd_after_the_close_are_each_refused_and_logged():
    battle = make_votable()
    submitter, judge = battle.task.judge, seated(battle)
    lock(judge, battle)()
    answers = at_once(*(vote(submitter, battle, key=f"key-{number}") for number in range(8)))
    assert {answer.status_code for answer in answers} == {410}
    assert RefusedVote.objects.filter(battle=battle, reason="closed").count() == 8
    assert not Vote.objects.filter(battle=battle, judge=submitter).exists()


def someone_waits() -> bool:
    """Whether a statement of this database waits for a lock."""
    with connection.cursor() as cursor:
        # Locks are read as they are, where activity is read once for each transaction.
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks waits JOIN pg_locks held USING (pid) WHERE NOT waits.granted "
            "AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
        )
        return cursor.fetchone()[0]


def test_whoever_waited_for_a_battle_while_it_was_reported_is_not_handed_it():
    battle, reporter = make_votable(), make_judge()
    offer(battle)
    [judge] = crowd(1)
    asks = threading.Thread(target=lambda: at_once(next_battle(judge)))
    with transaction.atomic():
        Battle.objects.select_for_update(no_key=True).get(pk=battle.pk)
        Report.objects.create(battle=battle, judge=reporter, kind="broken", due_at=timezone.now())
        asks.start()
        # The judge looks at what nobody is handling, and then waits for this battle.
        while asks.is_alive() and not someone_waits():
            time.sleep(0.05)
    asks.join(timeout=60)
    assert not Assignment.objects.filter(battle=battle).exists()
