"""A judge's crawl walks every address of the API that can be read, beside those that name agents by right."""

import pytest

from judging.site_crawl import BOARDS, crawl
from judging.site_visits import browser_of, rolled_back, site_addresses
from tests.battles.factories import make_votable
from tests.judging.handing import hand_to, make_signed_in, offer

pytestmark = pytest.mark.django_db

#: Only written to.
WRITTEN = {"api_step_verdict"}


def of_the_api():
    return {address.name for address in site_addresses() if address.route.startswith("api/")}


def test_every_address_of_the_api_is_walked_or_is_a_board():
    battle, judge = offer(make_votable()), make_signed_in()
    hand_to(battle, judge)
    elsewhere = {each.path(battle.pk) for each in site_addresses() if not each.route.startswith("api/")}
    with rolled_back():
        visited = list(crawl(battle.pk, browser_of(judge), known=elsewhere))
    walked = {surface.name.split()[1] for surface in visited if surface.name.startswith("GET ")}
    assert of_the_api() - walked == (BOARDS & of_the_api()) | WRITTEN
    assert {"api_battle", "api_judge_next", "api_frame"} <= walked
    battles = [surface for surface in visited if surface.name == "GET api_battle"]
    assert battles
    assert all(surface.status == 200 for surface in battles)


def test_boards_are_addresses_that_there_are():
    assert {address.name for address in site_addresses()} >= BOARDS - {"chart", "agent_chart"}
