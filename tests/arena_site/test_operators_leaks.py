"""Of a battle that leaked an operator sees the place, and what stands there only where they may know who raced."""

import re

import pytest
from django.utils import timezone

from battles.blindness.lexicon_table import sync_lexicon
from battles.models import Battle
from battles.roster import roster_names
from judging.models import Offer
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import ended, make_agent, make_battle, make_votable, race, set_on, started, step

pytestmark = pytest.mark.django_db


def leaked_battle() -> Battle:
    agents = make_agent("zorbanax", name="Zorbanax Nine", provider="Xyloquent"), make_agent("quillifer")
    sync_lexicon(roster_names())
    lane_a = [started("A"), step("A", 7, reasoning="As Zorbanax Nine, I click."), ended("A")]
    lane_b = [started("B"), step("B", 2, title="Hello, I am Zorbanax Nine."), ended("B", answer="Quillifer did it.")]
    return race(make_battle(agents=agents), events=[*lane_a, *lane_b])


def page_of(client, battle, asked="?places=1") -> str:
    return client.get(f"/admin/battles/battle/{battle.pk}/change/{asked}").content.decode()


def test_places_show_and_no_name_while_the_battle_is_judged(client):
    battle = leaked_battle()
    assert battle.leak_scan == Battle.Leak.LEAKED
    sign_in_operator(client, "viewer")
    assert "?places=1" in page_of(client, battle, "")
    page = page_of(client, battle)
    assert "lane A, step 7, reasoning" in page
    assert "lane B, step 2, title" in page
    for name in ("Zorbanax", "zorbanax", "Xyloquent", "Quillifer", "quillifer"):
        assert name not in page


def test_what_stands_there_shows_with_the_names_and_not_of_a_recording_that_stays_its_posters(client):
    battle = leaked_battle()
    set_on(Battle.objects.filter(pk=battle.pk), state="closed", closed_at=timezone.now())
    sign_in_operator(client, "viewer")
    assert "Hello" not in page_of(client, battle)
    assert "lane B, step 2, title</td><td>hidden" in page_of(client, battle)
    poster = battle.task.judge
    Offer.objects.create(battle=battle, judge=poster, receipt=poster.receipts.first())
    page = page_of(client, battle)
    found = re.search(r"lane B, step 2, title</td><td>[a-z ]+</td><td>([^<]+)<", page)
    assert found
    assert "Zorbanax" in found[1]


def test_a_clean_battle_has_no_places_and_one_that_was_flagged_by_hand_none_any_more(client):
    battle = make_votable()
    sign_in_operator(client, "viewer")
    assert "Where the scan" not in page_of(client, battle)
    set_on(Battle.objects.filter(pk=battle.pk), leak_scan=Battle.Leak.LEAKED)
    assert "Nothing is found any more" in page_of(client, battle)
