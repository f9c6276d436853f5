"""The operators' pages in a real browser: nothing breaks a rule of axe or of the policy, and a phone is wide enough."""

import pytest
from django.conf import settings
from django.test import Client

from judging.trust import hold_label
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_agent, make_judge
from tests.e2e.axe import defects
from tests.ratings.test_trust_reaches_the_ranking import judged

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TOO_WIDE = "document.documentElement.scrollWidth > window.innerWidth"


def test_what_is_due_and_a_queue_and_an_act(open_page, site):
    agents = make_agent("one"), make_agent("other")
    held = [hold_label(vote=judged(agents, "one", make_judge()), actor="system:haste", reason="Hasty.") for _ in "ab"]
    visitor = Client()
    sign_in_operator(visitor)
    page = open_page("/status", width=360)
    value = visitor.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": site}])
    page.goto("/admin/")
    assert defects(page) == []
    assert not page.evaluate(TOO_WIDE)
    page.get_by_role("heading", name="Held labels").get_by_role("link").click()
    assert defects(page) == []
    assert not page.evaluate(TOO_WIDE)
    page.get_by_label("Choose all on this page").check()
    page.get_by_text("2 chosen").wait_for()
    page.get_by_label("With those chosen").select_option(label="Release")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("heading", name="Release").wait_for()
    assert defects(page) == []
    page.get_by_label("Reason").fill("They were right.")
    page.get_by_role("button", name="Release").click()
    page.get_by_text("Done: release").wait_for()
    for hold in held:
        hold.refresh_from_db()
    assert [hold.decision for hold in held] == ["released", "released"]
