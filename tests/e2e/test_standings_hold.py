"""Standings, two agents, and charts in a real browser: every way to fit, on a phone and on a desk, light and dark."""

import pytest

from battles.models import Agent
from ratings.documents import Provenance
from ratings.models import Board, Publication
from ratings.publications import document_of_corpus
from tests.battles.factories import make_agent
from tests.e2e.axe import defects_in_every_look
from tests.ratings.corpora import lively_corpus

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PATHS = (
    "/standings",
    "/standings?fit=style-controlled",
    "/standings?fit=davidson",
    "/standings?fit=category-shopping",
    "/standings/agent-1",
    "/gaps",
    "/gaps?a=agent-1&b=agent-2",
    "/gaps?a=agent-1&b=agent-1",
)


@pytest.fixture
def publication(site):
    corpus = lively_corpus(labels=1_200)
    for number, key in enumerate(corpus.agents):
        make_agent(key, kind=Agent.Kind.BASELINE, name=f"A rather long name {number}")
    previous = None
    for number in (1, 2):
        document = document_of_corpus(Board.DEMO, corpus, Provenance(previous=previous.digest if previous else None))
        previous = Publication.objects.create(
            digest=document.digest,
            board=Board.DEMO,
            number=number,
            previous=previous,
            corpus_digest=corpus.digest,
            public_digest=document.public_digest,
            labels_cast=len(corpus.reason),
            document=document.text,
            public_document=document.public_text,
        )
    return previous


def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page, publication):
    page = open_page("/standings")
    found = []
    for path in PATHS:
        page.goto(path)
        found += [(path, *defect) for defect in defects_in_every_look(page)]
    assert found == []


@pytest.mark.parametrize(("width", "wanted"), [(360, "narrow"), (1280, "wide")])
def test_the_picture_of_a_chart_fits_the_window_and_the_scheme(open_page, publication, width, wanted):
    page = open_page("/standings/agent-1", width=width, color_scheme="light")
    image = page.locator(".chart-pictures img:visible")

    def address():
        image.scroll_into_view_if_needed()
        return image.evaluate("async (image) => { await image.decode(); return image.currentSrc; }")

    assert f"width={wanted}&scheme=light" in address()
    box = image.bounding_box()
    assert box["x"] + box["width"] <= width
    page.get_by_role("button", name="Switch to dark colours").click()
    assert f"width={wanted}&scheme=dark" in address()
    assert image.count() == 1


def test_two_agents_are_chosen_and_compared_by_keyboard(open_page, publication):
    page = open_page("/gaps")
    page.get_by_label("One agent").select_option("agent-3")
    page.get_by_label("The other").select_option("agent-0")
    page.get_by_role("button", name="Compare").press("Enter")
    page.get_by_role("heading", name="points above A rather long name 3").wait_for()
    assert "a=agent-3&b=agent-0" in page.url


def test_toggles_lead_to_each_other_and_the_csv_follows(open_page, publication):
    page = open_page("/standings")
    page.get_by_role("link", name="Steps and time held equal").click()
    assert page.locator(".toggles [aria-current]").inner_text() == "Steps and time held equal"
    assert page.get_by_role("link", name="CSV").get_attribute("href").endswith("?fit=process-controlled")
    page.get_by_role("link", name="link to exactly this").click()
    assert f"/publications/{publication.public_digest}?fit=process-controlled" in page.url
    page.get_by_role("link", name="As judged").click()
    assert page.url.endswith(publication.public_digest)
