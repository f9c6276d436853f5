"""The benchmark page in Chromium: accessible, as wide as the window, and with definitions one click away."""

import pytest

from metrics.publishing import publish_measures
from ratings.models import Board
from tests.battles.factories import make_agent
from tests.e2e.axe import defects, defects_in_every_look
from tests.e2e.conftest import chromium, open_page, site  # noqa: F401  # fixtures
from tests.metrics.rows import ran, step, vote

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def published(site):  # noqa: F811
    agents = [make_agent(f"own-{n}", kind="baseline", name=f"An agent of number {n}") for n in range(3)]
    for one, other in ((0, 1), (1, 2), (0, 2)):
        for number in range(22):
            vote(ran((agents[one], agents[other]), [step(), step("read")]), ("A", "B", "tie")[number % 3])
    publish_measures(board=Board.DEMO, actor="system:test")


def test_the_page_is_accessible_and_fits_its_window(open_page, published):  # noqa: F811
    page = open_page("/benchmark")
    assert defects(page) == []
    page.evaluate("for (const each of document.querySelectorAll('.measure-line details')) each.open = true")
    assert defects_in_every_look(page) == []


def test_a_definition_unfolds_in_place_by_one_click_without_scripts(open_page, published):  # noqa: F811
    page = open_page("/benchmark", java_script_enabled=False)
    line = page.locator("#win_share")
    assert not line.get_by_text("Does not show").is_visible()
    line.locator("summary").click()
    assert line.get_by_text("Does not show").is_visible()


def test_agents_stand_at_the_same_place_in_every_line(open_page, published):  # noqa: F811
    page = open_page("/benchmark")
    lefts = page.evaluate(
        """[...document.querySelectorAll('.dots .dots-row')].map(
            (row) => [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)).join())"""
    )
    heads = page.evaluate(
        """[...document.querySelectorAll('.dots-head .dots-row')].map(
            (row) => [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)).join())"""
    )
    assert len(lefts) > 10
    assert len(set(lefts + heads)) == 1


def test_the_page_before_the_first_publication_is_accessible(open_page):  # noqa: F811
    assert defects(open_page("/benchmark")) == []
