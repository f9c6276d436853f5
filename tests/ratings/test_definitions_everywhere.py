"""The definition is one click from any number: of every column of numbers, and of every fact that is one."""

import re
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings

from ratings.definitions import DEFINITIONS, ON_PAGES
from ratings.models import Board
from ratings.refit import refit
from tests.ratings.published import judged, make_pair

pytestmark = pytest.mark.django_db

#: Facts that are names of things and no measured numbers, though they hold digits.
NAMES_OF_THINGS = {
    "Published",
    "Digest",
    "Take it with you",
    "Charts",
    "Tasks",
    "Judges",
    "Interface",
    "Rubric",
    "Ledger then",
    "Fitted with",
    "Version",
    "Adapter",
    "Provider",
}
#: Columns of which a definition is not asked.
NO_NUMBERS = {"Published", "Agent", "Opponent", "What", "Interval plot", "Effect"}


class Page(HTMLParser):
    """Heads of columns and facts with whether they hold a term, terms by their target, and targets."""

    def __init__(self, text):
        super().__init__()
        self.heads, self.facts, self.targets, self.ids = [], [], [], []
        self._open = None
        self._value = None
        self._hidden = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            self.ids.append(found["id"])
        if self._hidden or "popover" in found or found.get("aria-hidden") or tag == "svg":
            self._hidden += tag in {"div", "svg"}
            return
        if tag == "button" and found.get("class") == "term":
            self.targets.append(found["popovertarget"])
            if self._open is not None:
                self._open["term"] = True
        if tag == "th" and found.get("scope") == "col":
            self._open = {"words": "", "term": False}
            self.heads.append(self._open)
        if tag == "dt":
            self._open = {"words": "", "term": False, "value": ""}
            self.facts.append(self._open)
        if tag == "dd":
            self._value = self.facts[-1]

    def handle_endtag(self, tag):
        if self._hidden:
            self._hidden -= tag in {"div", "svg"}
            return
        if tag in {"th", "dt"}:
            self._open = None
        if tag == "dd":
            self._value = None

    def handle_data(self, data):
        if self._hidden:
            return
        if self._open is not None:
            self._open["words"] += data.strip()
        if self._value is not None and "value" in self._value:
            self._value["value"] += data


@pytest.fixture(scope="module")
def pages(django_db_setup, django_db_blocker):
    """Texts of all pages with published numbers, of one board with every part."""
    found = {}
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    storages = settings.STORAGES | {"staticfiles": plain}
    with django_db_blocker.unblock(), override_settings(STORAGES=storages), transaction.atomic():
        agents = make_pair("ada", "bob", "cyd")
        for first, second in ((0, 1), (1, 2), (0, 2)):
            for number in range(18):
                judged((agents[first], agents[second]), agents[first if number % 3 else second].key)
        run = refit(board=Board.DEMO, actor="system:test")
        digest = run.publication.public_digest
        for path in (
            "/",
            "/standings",
            "/standings?fit=davidson",
            f"/publications/{digest}",
            "/standings/ada",
            "/gaps?a=ada&b=bob",
        ):
            answer = Client().get(path)
            assert answer.status_code == 200, path
            found[path] = Page(answer.content.decode())
        transaction.set_rollback(True)
    return found


def test_every_column_has_its_definition_in_its_head(pages):
    for path, page in pages.items():
        bare = {head["words"] for head in page.heads if not head["term"] and head["words"]}
        assert bare <= NO_NUMBERS | {"Ada", "Bob", "Cyd", "ada", "bob", "cyd"}, (path, bare)
    assert sum(head["term"] for page in pages.values() for head in page.heads) > 30


def test_every_fact_that_is_a_number_has_its_definition(pages):
    for path, page in pages.items():
        bare = {fact["words"] for fact in page.facts if not fact["term"] and re.search(r"\d", fact["value"])}
        assert bare <= NAMES_OF_THINGS, (path, bare)
    assert {fact["words"] for fact in pages["/standings"].facts if fact["term"]} >= {"Ties", "Slot A preferred"}


def test_the_gap_in_words_has_its_definitions_under_it(pages):
    gap = pages["/gaps?a=ada&b=bob"]
    assert {"def-gap", "def-chance", "def-votes", "def-flip"} <= set(gap.targets)


def test_every_term_opens_a_definition_that_is_there_once(pages):
    for path, page in pages.items():
        assert page.targets, path
        assert all(page.ids.count(target) == 1 for target in page.targets), path


def test_definitions_of_pages_are_whole():
    assert DEFINITIONS.keys().isdisjoint(ON_PAGES)
    for definition in ON_PAGES.values():
        assert all(definition[key] for key in ("name", "counted", "over", "direction", "caveat"))
