"""A database behind a bad line: slow, silent for a while, cut, or silent for longer than a lease."""

import threading
import time
from pathlib import Path

import pytest
from django.db import connection, connections

from battles.lanes import race
from battles.lanes.race import run_battle
from battles.models import Attempt, Battle, Step
from battles.racing import reap_lost_battles
from tests.arena_site.faults.relay import Relay
from tests.battles.factories import ended, make_battle, started, step

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = 3


@pytest.fixture
def line():
    """This thread's connection goes by way of a relay; those of other threads do not."""
    settings = connection.settings_dict
    socket = Path(settings["HOST"]) / f".s.PGSQL.{settings['PORT'] or 5432}"
    if not socket.exists():
        pytest.skip("the database of this run is not on a socket of this machine")
    connection.close()
    kept = dict(settings)
    with Relay(socket) as relay:
        settings |= {"HOST": "127.0.0.1", "PORT": str(relay.port)}
        yield relay
        connection.close()
        settings |= kept


def lane(order, emit, barrier, stop, folder):
    emit(started(order.slot))
    for number in range(1, STEPS + 1):
        emit(step(order.slot, number))
        stop.wait(0.1)
    emit(ended(order.slot))


def at_the_third(act):
    heard = []

    def listener(event):
        heard.append(event)
        if len(heard) == 3:
            act()

    return listener


def whole(battle):
    battle.refresh_from_db()
    steps = Step.objects.filter(lane__attempt__battle=battle)
    slots = [list(steps.filter(lane__slot=slot).values_list("number", flat=True)) for slot in "AB"]
    return (
        battle.state == Battle.State.VOTABLE and battle.attempts.count() == 1 and slots == [list(range(STEPS + 1))] * 2
    )


def test_a_slow_line_makes_a_race_slow_and_nothing_else(line):
    battle = make_battle()
    line.delay = 0.01
    assert run_battle(battle.pk, worker="test:1", lane=lane)
    line.delay = 0.0
    assert whole(battle)


def test_three_silent_seconds_cost_nothing(line):
    battle = make_battle()

    def silence():
        line.hold()
        threading.Timer(3.0, line.let_go).start()

    assert run_battle(battle.pk, worker="test:1", lane=lane, listener=at_the_third(silence))
    assert whole(battle)


def test_a_line_that_is_cut_and_comes_back_costs_nothing(line):
    battle = make_battle()
    assert run_battle(battle.pk, worker="test:1", lane=lane, listener=at_the_third(line.cut))
    assert whole(battle)


def test_who_was_silent_for_longer_than_a_lease_finds_the_battle_given_to_another(line, monkeypatch):
    battle = make_battle()
    monkeypatch.setattr("battles.racing.LEASE", race.LEASE * 0.05)
    reaped = []

    def another_host():
        """By a way of its own, as the clock and the other workers have it."""
        other = connections["default"]
        other.settings_dict = other.settings_dict | {"HOST": str(line_socket), "PORT": "5432"}
        try:
            deadline = time.monotonic() + 20
            while not reaped and time.monotonic() < deadline:
                reaped.extend(reap_lost_battles())
                time.sleep(0.1)
        finally:
            other.close()
            line.let_go()

    line_socket = Path(line._server).parent
    reaper = threading.Thread(target=another_host)

    def silence():
        line.hold()
        reaper.start()

    assert run_battle(battle.pk, worker="test:1", lane=lane, listener=at_the_third(silence))
    reaper.join()
    assert reaped == [battle.pk]
    battle.refresh_from_db()
    assert battle.state == Battle.State.QUEUED
    broken = battle.attempts.get()
    assert broken.outcome == Attempt.Outcome.BROKEN
    assert not Step.objects.filter(lane__attempt=broken, at__gt=broken.ended_at).exists()
    assert Step.objects.filter(lane__attempt=broken).count() < 2 * (STEPS + 1)
