"""Joined versions, tied licensees and stakes in Chromium: pages and forms hold at both widths and schemes."""

import pytest
from django.conf import settings
from django.test import Client

from battles.affiliation import affiliate_agent
from battles.merges import merge_agents
from governance.licensing import register_licensee
from ratings.models import Board
from ratings.refit import refit
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_agent
from tests.e2e.axe import defects
from tests.ratings.published import judged

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WHO = {"actor": "operator:1"}
WHY = "The provider says that only the address of its interface changed, and the weights did not."


PUBLIC = ("/standings", "/standings/surfer-1", "/standings/surfer-2", "/standings/own")
OPERATORS = (
    "/admin/battles/agentmerge/",
    "/admin/battles/agentmerge/act/merge/",
    "/admin/battles/agent/own/change/",
)


def check(page, path):
    page.goto(path)
    assert defects(page) == [], path
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_the_pages_are_accessible_and_fit_their_window(open_page, site):
    agents = [
        make_agent(key, kind="baseline", provider=provider)
        for key, provider in (("surfer-1", "Acme"), ("surfer-2", "Acme"), ("clicker", "Bettong"), ("own", "Ours"))
    ]
    for one in agents:
        for other in agents:
            if one is not other:
                judged((one, other), one.key)
    merge = merge_agents(agent_key="surfer-1", into_key="surfer-2", reason=WHY, **WHO)
    register_licensee(name="Gamma Laboratories", terms="For research.", provider="Acme", **WHO)
    affiliate_agent(key="own", reason="We bought shares of its provider.", **WHO)
    assert refit(board=Board.DEMO, actor="system:test").publication is not None
    visitor = Client()
    sign_in_operator(visitor)
    value = visitor.cookies[settings.SESSION_COOKIE_NAME].value
    for width, scheme in ((360, "dark"), (1280, "light")):
        page = open_page("/status", width=width, color_scheme=scheme)
        for path in PUBLIC:
            check(page, path)
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": site}])
        for path in OPERATORS:
            check(page, path)
    # One click from the flag to what it means.
    page.goto("/standings")
    page.get_by_role("button", name="tied licensee: Gamma Laboratories").click()
    page.get_by_text("Whether it was used for this agent is not known here.").wait_for()
    # What joining would do is shown before it is done, and the join is undone by another row.
    page.goto(f"/admin/battles/agentmerge/act/unmerge/?ids={merge.pk}")
    page.get_by_label("Reason").fill("It changed after all.")
    page.get_by_role("button", name="Part them again").click()
    page.get_by_text("Done: part them again").wait_for()
    page.goto("/admin/battles/agentmerge/act/merge/")
    page.get_by_label("Version").fill("surfer-1")
    page.get_by_label("Counts in the row of").fill("surfer-2")
    page.get_by_label("Reason").fill(WHY)
    page.get_by_role("button", name="Show what it would do").click()
    page.get_by_role("heading", name="What it would do to the ranks").wait_for()
    assert defects(page) == []
    page.get_by_role("button", name="Join two versions").click()
    page.get_by_text("Done: join two versions").wait_for()
