"""One page of every kind there is, as an operator comes upon them by following links: axe is content in every look.

What battles look like to those who judge them is in ``test_pages_hold``.
"""

from collections import defaultdict, deque

import pytest
from django.conf import settings
from django.test import Client
from django.urls import Resolver404, resolve
from playwright.sync_api import Page

from judging.site_crawl import links_in
from judging.site_visits import site_addresses
from tests.arena_site.operators import sign_in_operator
from tests.e2e.axe import defects_in_every_look
from tests.e2e.test_pages_hold import agents, judge, paths  # noqa: F401

pytestmark = [pytest.mark.browser, pytest.mark.soak, pytest.mark.django_db(transaction=True)]

#: Fewer kinds of pages than this can only mean that links were not followed.
LEAST_KINDS = 90


def kind_of(path: str) -> str | None:
    """What kind of page an address is: its name in the address table, and how its own page differs by an act."""
    try:
        match = resolve(path.partition("?")[0])
    except Resolver404:
        return None
    return f"{match.view_name} {match.kwargs.get('act_name', '')}"


def open_as_page(page: Page, path: str) -> bool:
    """Whether there is a page at an address; what is refused or downloaded is none."""
    answer = page.request.get(path)
    if not answer.ok or "text/html" not in answer.headers.get("content-type", ""):
        return False
    page.goto(path)
    return True


def test_axe_finds_nothing_on_any_kind_of_page(open_page, site, paths):  # noqa: F811
    visitor = Client()
    sign_in_operator(visitor)
    page = open_page("/status")
    session = visitor.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])
    waiting = deque([*paths, *(f"/{address.route}" for address in site_addresses() if not address.converters)])
    seen: set[str] = set()
    found = defaultdict(list)
    while waiting:
        path = waiting.popleft()
        kind = kind_of(path)
        for_programs = path.startswith("/api/") and path != "/api/docs"
        if kind is None or kind in seen or for_programs:
            continue
        seen.add(kind)
        if not open_as_page(page, path):
            continue
        for defect in defects_in_every_look(page):
            found[defect].append(path)
        waiting.extend(sorted(links_in(page.content())))
    assert found == {}
    assert len(seen) >= LEAST_KINDS
