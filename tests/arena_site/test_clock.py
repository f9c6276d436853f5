"""Any number of clocks, of which one sends; nothing is sent twice, and nothing of the night is lost with a host."""

import signal
from datetime import timedelta

import pytest
import time_machine
from celery.beat import SchedulingError
from django.db import OperationalError
from django.utils import timezone

from arena_site.celery import app
from arena_site.clock import LEASE, PAUSE_SECONDS, SharedSchedule, seconds_since_tick
from arena_site.models import Clock, ScheduledRun
from tests.arena_site.production_processes import Process
from tests.arena_site.services.conftest import wait_until

NIGHTLY = "refit every night"


class Sent(SharedSchedule):
    """A clock that writes down what it would send."""

    def __init__(self, sent, *, broker_is_away=False):
        self.sent = sent
        self.broker_is_away = broker_is_away
        super().__init__(app=app, max_interval=2)

    def apply_async(self, entry, producer=None, advance=True, **kwargs):
        if self.broker_is_away:
            raise SchedulingError("nobody listens") from ConnectionError()
        self.sent.append(entry.name)


def all_due(clock, looks=60):
    """Look until nothing is due at once."""
    for _ in range(looks):
        if clock.tick() > 0:
            return
    raise AssertionError("it never comes to rest")


@pytest.fixture
def sent():
    return []


@pytest.mark.django_db
@pytest.mark.production
def test_one_clock_sends_and_the_other_waits(sent):
    first, second = Sent(sent), Sent(sent)
    all_due(first)
    assert second.tick() == PAUSE_SECONDS
    assert Clock.objects.get().holder == first.holder
    with time_machine.travel(timezone.now() + timedelta(seconds=6)):
        all_due(first)
        assert second.tick() == PAUSE_SECONDS
    assert sent == ["hand back lost battles"]
    assert seconds_since_tick() < 60


@pytest.mark.django_db
@pytest.mark.production
def test_a_clock_takes_over_when_the_other_says_nothing_and_sends_nothing_again(sent):
    first, second = Sent(sent), Sent(sent)
    all_due(first)
    ScheduledRun.objects.filter(name=NIGHTLY).update(last_run_at=timezone.now() - timedelta(days=1))
    first._start_over()
    all_due(first)
    assert sent == [NIGHTLY]
    Clock.objects.update(until=timezone.now() - timedelta(seconds=1))
    all_due(second)
    assert Clock.objects.get().holder == second.holder
    first._renewed = None
    assert first.tick() == PAUSE_SECONDS
    assert sent == [NIGHTLY]


@pytest.mark.django_db
@pytest.mark.production
def test_a_clock_that_was_stopped_and_believes_in_its_lease_is_refused_by_the_table(sent):
    stale, other = Sent(sent), Sent(sent)
    all_due(stale)
    Clock.objects.update(until=timezone.now() - timedelta(seconds=1))
    ScheduledRun.objects.filter(name=NIGHTLY).update(last_run_at=timezone.now() - timedelta(days=1))
    all_due(other)
    assert sent == [NIGHTLY]
    # As it would be had it read the table, found work due, and then been stopped until now.
    stale.schedule[NIGHTLY].last_run_at = timezone.now() - timedelta(days=1)
    stale._heap = None
    stale._renewed = float("inf")
    stale.tick()
    assert sent == [NIGHTLY]
    assert ScheduledRun.objects.get(name=NIGHTLY).runs == 1


@pytest.mark.django_db
def test_work_that_fell_due_while_no_clock_ran_is_sent_once_by_the_next(sent):
    all_due(Sent(sent))
    ScheduledRun.objects.update(last_run_at=timezone.now() - timedelta(days=3))
    Clock.objects.update(until=timezone.now() - timedelta(seconds=1))
    all_due(Sent(sent))
    assert sorted(sent) == sorted(app.conf.beat_schedule)


@pytest.mark.django_db
def test_new_work_counts_from_now_and_what_is_gone_is_forgotten(sent):
    ScheduledRun.objects.create(name="once upon a time", last_run_at=timezone.now())
    all_due(Sent(sent))
    assert sent == []
    assert set(ScheduledRun.objects.values_list("name", flat=True)) == set(app.conf.beat_schedule)


@pytest.mark.django_db
def test_what_the_broker_did_not_take_counts_as_not_sent(sent):
    clock = Sent(sent)
    all_due(clock)
    ScheduledRun.objects.filter(name=NIGHTLY).update(last_run_at=timezone.now() - timedelta(days=1))
    clock._start_over()
    clock.broker_is_away = True
    assert clock.tick() == PAUSE_SECONDS
    assert ScheduledRun.objects.get(name=NIGHTLY).runs == 0
    clock.broker_is_away = False
    all_due(clock)
    assert sent == [NIGHTLY]


@pytest.mark.django_db
def test_a_database_that_is_away_is_waited_for(sent, monkeypatch):
    clock = Sent(sent)

    def away():
        raise OperationalError("the database system is shutting down")

    monkeypatch.setattr(clock, "_holds", away)
    monkeypatch.setattr("arena_site.clock.connection.close", lambda: None)
    assert clock.tick() == PAUSE_SECONDS


def test_every_clock_that_is_started_is_this_one():
    assert app.conf.beat_scheduler == "arena_site.clock:SharedSchedule"
    assert app.conf.beat_max_loop_interval < LEASE.total_seconds() / 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.stack
@pytest.mark.production
def test_of_three_processes_one_sends_and_the_other_takes_over_from_a_stop_and_from_a_kill(tmp_path, broker):
    clocks = {}

    def start(name):
        clocks[name] = Process("beat", tmp_path / name)

    def holder():
        row = Clock.objects.filter(until__gt=timezone.now()).first()
        return row and next((name for name, one in clocks.items() if f":{one.pid}:" in row.holder), None)

    def messages():
        return sum(broker.llen(queue) for queue in ("default", "lanes"))

    try:
        start("first")
        wait_until(lambda: holder() == "first", 60)
        start("second")
        start("third")
        before = dict(ScheduledRun.objects.values_list("name", "last_run_at"))
        wait_until(lambda: all("this one waits" in clocks[name].said() for name in ("second", "third")), 60)
        clocks["first"].ask(signal.SIGTERM)
        after_stop = wait_until(lambda: holder() not in {None, "first"} and holder(), 20)
        assert clocks["first"].wait() == 0
        clocks[after_stop].ask(signal.SIGKILL)
        last = ({"second", "third"} - {after_stop}).pop()
        wait_until(lambda: holder() == last, 20)
        clocks[last].ask(signal.SIGTERM)
        clocks[last].wait()
        assert ScheduledRun.objects.get(name=NIGHTLY).last_run_at == before[NIGHTLY]
        # Killed between the two, the one clock had its message taken and not written down.
        assert messages() - sum(ScheduledRun.objects.values_list("runs", flat=True)) in {0, 1}
    finally:
        for one in clocks.values():
            one.end()
