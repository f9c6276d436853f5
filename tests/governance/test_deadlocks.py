"""Two transactions that wait for each other: one is undone by PostgreSQL, and done again."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from governance.deadlocks import PAUSE_SECONDS, TRIES, done_again, is_deadlock
from governance.models import Judge
from tests.battles.factories import make_judge

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]

MEETS_SECONDS = 60.0


def crosswise(tries: list[str]) -> list[Callable[[], None]]:
    """Two transactions that lock the same two rows, each beginning with another one, when both hold their first."""
    rows, both = [make_judge().pk for _ in range(2)], threading.Barrier(2, timeout=MEETS_SECONDS)

    def locking(first: str, second: str) -> Callable[[], None]:
        def lock() -> None:
            again = first in tries
            tries.append(first)
            Judge.objects.select_for_update().get(pk=first)
            if not again:
                both.wait()
            Judge.objects.select_for_update().get(pk=second)

        return lock

    return [locking(*rows), locking(*reversed(rows))]


def side_by_side(acts: list[Callable[[], None]]) -> list[BaseException | None]:
    def ended(act: Callable[[], None]) -> BaseException | None:
        try:
            act()
        except OperationalError as stopped:
            return stopped
        finally:
            connection.close()
        return None

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(ended, acts))


def stop() -> None:
    """End a transaction as PostgreSQL does where two wait for each other."""
    with connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'waited' USING ERRCODE = '40P01'; END $$")


def test_without_it_one_of_the_two_is_lost():
    acts = [transaction.atomic(act) for act in crosswise([])]
    stopped = [each for each in side_by_side(acts) if each is not None]
    assert [is_deadlock(each) for each in stopped] == [True]


def test_whoever_was_stopped_does_it_again():
    tries: list[str] = []
    assert side_by_side([done_again(act) for act in crosswise(tries)]) == [None, None]
    assert len(tries) == 3


def test_it_is_done_whole_or_not_at_all():
    judge = make_judge()

    @done_again
    def erases_and_fails() -> None:
        Judge.objects.filter(pk=judge.pk).update(erased_at=timezone.now())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        erases_and_fails()
    judge.refresh_from_db()
    assert judge.erased_at is None


def test_what_was_done_is_not_done_again_because_its_news_failed():
    tried = []

    @done_again
    def done() -> None:
        tried.append(1)
        transaction.on_commit(stop)

    with pytest.raises(OperationalError) as stopped:
        done()
    assert is_deadlock(stopped.value)
    assert len(tried) == 1


def test_within_another_transaction_it_is_left_to_whoever_began_that():
    tries: list[str] = []
    stopped = [each for each in side_by_side([transaction.atomic(done_again(act)) for act in crosswise(tries)]) if each]
    assert [is_deadlock(each) for each in stopped] == [True]
    assert len(tries) == 2


def test_it_is_tried_so_often_and_no_more_and_others_go_first(monkeypatch):
    tried, paused = [], []
    monkeypatch.setattr("governance.deadlocks.sleep", lambda seconds: paused.append((seconds, len(tried))))

    @done_again
    def fails() -> None:
        tried.append(1)
        stop()

    with pytest.raises(OperationalError) as stopped:
        fails()
    assert is_deadlock(stopped.value)
    assert len(tried) == TRIES
    assert paused == [(PAUSE_SECONDS, number) for number in range(1, TRIES)]


def test_what_has_another_cause_is_not_done_again():
    tried = []

    @done_again
    def fails() -> None:
        tried.append(1)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 1")
            cursor.execute("SELECT pg_sleep(10)")

    with pytest.raises(OperationalError):
        fails()
    assert len(tried) == 1
