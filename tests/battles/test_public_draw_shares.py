"""What is public of the draws."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from battles.draw_shares import HELD_BACK, public_shares
from battles.models import Agent, Battle
from battles.roster_disclosures import shares_of_draws
from tests.battles.factories import make_agent, make_battle

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered():
    cache.clear()


def test_it_says_nothing_of_a_battle_that_may_still_be_judged_blind():
    agents = [make_agent(key) for key in ("a", "b", "c")]
    Agent.objects.update(created_at=timezone.now() - 2 * HELD_BACK)
    long_ago = make_battle(agents=(agents[0], agents[1]))
    make_battle(agents=(agents[0], agents[2]))
    Battle.objects.filter(pk=long_ago.pk).update(created_at=timezone.now() - HELD_BACK - timedelta(hours=1))
    assert {share.agent: share.drawn for share in public_shares()} == {"a": 1, "b": 1, "c": 0}


def test_shares_of_few_draws_do_not_say_how_few():
    agents = [make_agent(key) for key in ("a", "b")]
    Agent.objects.update(created_at=timezone.now() - 2 * HELD_BACK)
    made = [make_battle(agents=tuple(agents)).pk for _ in range(3)]
    Battle.objects.filter(pk__in=made).update(created_at=timezone.now() - HELD_BACK - timedelta(hours=1))
    rows = shares_of_draws().rows
    assert [row[1].text for row in rows] == ["too few draws"] * 2
    assert [row[0].href for row in rows] == ["/standings/a", "/standings/b"]
