"""What is public of the draws."""

from datetime import timedelta

import pytest
from django.utils import timezone

from battles.alarms import note_passed_over
from battles.draw_shares import HELD_BACK, public_shares
from battles.models import Agent, Battle
from battles.roster_disclosures import shares_of_draws
from tests.battles.factories import make_agent, make_battle

pytestmark = pytest.mark.django_db


@pytest.fixture
def agents():
    made = [make_agent(key) for key in ("a", "b", "c")]
    Agent.objects.update(created_at=timezone.now() - 2 * HELD_BACK)
    return made


def drawn_long_ago(one, other):
    battle = make_battle(agents=(one, other))
    Battle.objects.filter(pk=battle.pk).update(created_at=timezone.now() - HELD_BACK - timedelta(hours=1))


def test_it_says_nothing_of_a_battle_that_may_still_be_judged_blind(agents):
    drawn_long_ago(agents[0], agents[1])
    make_battle(agents=(agents[0], agents[2]))
    note_passed_over()
    assert {share.agent: share.drawn for share in public_shares().shares} == {"a": 1, "b": 1, "c": 0}


def test_shares_of_few_draws_do_not_say_how_few(agents):
    for _ in range(3):
        drawn_long_ago(agents[0], agents[1])
    note_passed_over()
    rows = shares_of_draws().rows
    assert [row[1].text for row in rows] == ["too few draws"] * 3
    assert [row[0].href for row in rows] == ["/standings/a", "/standings/b", "/standings/c"]


def test_a_page_shows_what_the_night_kept_and_reads_no_battle(agents, django_assert_num_queries):
    drawn_long_ago(agents[0], agents[1])
    assert "no night has passed" in shares_of_draws().none
    note_passed_over()
    drawn_long_ago(agents[0], agents[2])
    with django_assert_num_queries(1) as asked:
        found = public_shares()
    assert "battles_battle" not in asked.captured_queries[0]["sql"]
    assert {share.agent: share.drawn for share in found.shares} == {"a": 1, "b": 1, "c": 0}
    assert f"{found.at:%Y-%m-%d}" in shares_of_draws().more[0]
