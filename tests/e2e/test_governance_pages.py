"""The mission and the governance page in Chromium: accessible and as wide as the window, light and dark."""

import pytest
from django.utils import timezone

from governance import claims
from tests.battles.factories import make_agent
from tests.e2e.axe import defects

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light"), (1920, "dark"), (360, "light")])
def test_the_pages_are_accessible_and_fit_their_window(open_page, monkeypatch, width, scheme):
    make_agent("own", name="Our Own", affiliated_from=timezone.now())
    # A gap among the beliefs, and those that the operator leaves.
    monkeypatch.setattr("battles.matchmaking.draw_judges_needed", lambda rng: 1)
    claims.forget()
    page = open_page("/mission", width=width, color_scheme=scheme)
    for path in ("/mission", "/governance"):
        page.goto(path)
        assert defects(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    claims.forget()
