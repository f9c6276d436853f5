"""Battles that nobody takes are rung for again, and a night without workers does not fill the broker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from battles.dispatch import rings_unheard
from battles.models import Battle
from battles.tasks import reap
from tests.battles.factories import make_battle

pytestmark = [pytest.mark.django_db, pytest.mark.production]

BATTLES = 3


@pytest.fixture
def waiting(broker):
    battles = [make_battle() for _ in range(BATTLES)]
    Battle.objects.update(created_at=timezone.now() - timedelta(hours=8))
    return battles


def test_each_is_rung_for_and_no_more_while_nobody_hears(waiting, broker):
    for _ in range(5):
        reap()
    assert rings_unheard() == BATTLES


def test_a_broker_that_lost_its_rings_gets_them_again(waiting, broker):
    reap()
    broker.flushdb()
    assert rings_unheard() == 0
    reap()
    assert rings_unheard() == BATTLES


def test_a_ring_that_was_lost_alone_is_rung_again_and_their_number_stays_bounded(waiting, broker):
    for _ in range(20):
        reap()
        broker.lpop("lanes")
        assert rings_unheard() < 2 * BATTLES
