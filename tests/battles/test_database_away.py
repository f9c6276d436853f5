"""A database that goes away for a moment costs a race nothing; one that stays away costs the attempt and no more."""

import itertools
import time
from datetime import timedelta

import psycopg
import pytest
from django.db import OperationalError, connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.utils import timezone

from battles.lanes import race
from battles.lanes.race import run_battle
from battles.lanes.recorder import Recorder
from battles.models import Attempt, Battle, Lane, Step
from battles.racing import reap_lost_battles, renew_lease, start_attempt
from tests.battles.factories import ended, make_battle, set_on, started, step
from tests.conftest import server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]

STEPS = 4


def events_of(slot):
    return [started(slot), *(step(slot, number) for number in range(1, STEPS + 1)), ended(slot)]


def lane(order, emit, barrier, stop, folder):
    for event in events_of(order.slot):
        emit(event)


def end_this_session():
    """As the server's restart does it: the connection is gone, and the client finds out at its next word."""
    pid = connection.connection.info.backend_pid
    with server() as other:
        other.execute("SELECT pg_terminate_backend(%s)", [pid])


def counts(battle):
    steps = Step.objects.filter(lane__attempt__battle=battle)
    return [steps.filter(lane__slot=slot).count() for slot in "AB"], battle.attempts.count()


def test_a_connection_that_ends_at_any_event_costs_nothing():
    battle = make_battle()
    heard = itertools.count(1)

    def listener(event):
        if next(heard) % 3 == 0:
            end_this_session()

    run_battle(battle.pk, worker="test:1", lane=lane, listener=listener)
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOTABLE
    assert counts(battle) == ([STEPS + 1] * 2, 1)
    assert set(Lane.objects.values_list("steps_charged", flat=True)) == {STEPS}


@pytest.mark.parametrize("committed", [True, False])
def test_a_write_whose_answer_was_lost_is_there_once(monkeypatch, committed):
    """The session ends at the commit: before the server has done it, or after, and the recorder cannot tell which."""
    ticket = start_attempt(battle_id=make_battle().pk, worker="test:1")
    recorder = Recorder(attempt_id=ticket.attempt_id, token=ticket.token)
    commit = DatabaseWrapper._commit
    broken = []

    def lost(self):
        if broken:
            return commit(self)
        broken.append(True)
        if committed:
            commit(self)
        raise OperationalError("server closed the connection unexpectedly")

    for event in events_of("A"):
        broken.clear()
        with monkeypatch.context() as patched:
            patched.setattr(DatabaseWrapper, "_commit", lost)
            with pytest.raises(OperationalError):
                recorder.write(event)
            recorder.write(event)
    one = Lane.objects.get(slot="A")
    assert (one.state, one.steps_charged) == (Lane.State.ENDED, STEPS)
    assert list(Step.objects.filter(lane=one).values_list("number", flat=True)) == list(range(STEPS + 1))


def test_a_database_that_stays_away_ends_the_attempt_and_stops_the_lanes(monkeypatch):
    battle = make_battle()
    monkeypatch.setattr(race, "LEASE", race.LEASE * 0.02)
    monkeypatch.setattr(race, "ASK_AGAIN_AFTER", 0.05)
    stopped = []

    def lane_until_told(order, emit, barrier, stop, folder):
        emit(started(order.slot))
        stopped.append(stop.wait(20))
        emit(ended(order.slot))

    def away(self, event):
        raise OperationalError("connection refused")

    monkeypatch.setattr(Recorder, "write", away)
    begun = time.monotonic()
    assert run_battle(battle.pk, worker="test:1", lane=lane_until_told)
    assert time.monotonic() - begun < 15
    assert stopped == [True, True]
    battle.refresh_from_db()
    assert battle.state == Battle.State.RACING
    assert battle.attempts.get().outcome == Attempt.Outcome.RUNNING
    assert Step.objects.count() == 0


def test_a_session_that_vanished_with_a_lock_keeps_no_other_battle_waiting():
    """As when a host is cut off between two words of its transaction, until the server has noticed."""
    held, other = make_battle(), make_battle()
    for battle in (held, other):
        start_attempt(battle_id=battle.pk, worker="test:1")
    with server_of_the_test() as vanished, vanished.transaction():
        vanished.execute("SELECT 1 FROM battles_attempt WHERE battle_id = %s FOR NO KEY UPDATE", [held.pk])
        set_on(Battle.objects.all(), lease_until=timezone.now() - timedelta(seconds=1))
        assert reap_lost_battles() == [other.pk]
    assert reap_lost_battles() == [held.pk]


@pytest.mark.parametrize("hours", [-30, 30])
def test_leases_know_no_clock_but_the_databases(time_machine, hours):
    """A host whose clock jumps, or is wrong from the start, neither loses its races nor takes others'."""
    battle = make_battle()
    time_machine.move_to(timezone.now() + timedelta(hours=hours))
    ticket = start_attempt(battle_id=battle.pk, worker="test:1")
    renew_lease(ticket.token)
    with server_of_the_test() as other:
        left = other.execute("SELECT lease_until - now() FROM battles_battle").fetchone()[0]
    assert 25 < left.total_seconds() <= 30
    assert reap_lost_battles() == []
    time_machine.shift(timedelta(hours=-2 * hours))
    assert reap_lost_battles() == []


def server_of_the_test() -> psycopg.Connection:
    parameters = connection.get_connection_params()
    wanted = ("dbname", "host", "port", "user", "password", "sslmode")
    return psycopg.connect(**{key: parameters[key] for key in wanted if key in parameters}, autocommit=True)
