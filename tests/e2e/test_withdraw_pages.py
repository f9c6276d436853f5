"""Taking back in Chromium: the form and the page of a withdrawal are accessible and fit their window."""

import re

import pytest

from governance.models import Judge, Withdrawal
from governance.withdrawals import act_on, read_wanted, request_withdrawal
from tests.battles.factories import make_judge, make_task, make_votable
from tests.e2e.axe import defects
from tests.judging.handing import say

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_the_pages_are_accessible_and_fit_their_window(open_page, width, scheme):
    judge = make_judge()
    say(make_votable(task=make_task(judge)), judge, "tie")
    asked = request_withdrawal(judge=judge, actor="judge:x", wanted=read_wanted("kind:vote"))
    act_on(withdrawal=asked, actor="judge:x")
    page = open_page("/withdraw", width=width, color_scheme=scheme)
    assert "All tasks I posted" in page.content()
    for path in ("/withdraw", f"/withdraw/{asked.pk}"):
        page.goto(path)
        assert defects(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_two_clicks_take_everything_back_and_the_button_says_what_it_does(open_page):
    judge = make_judge()
    make_task(judge)
    page = open_page("/standings", judge=judge)
    page.get_by_role("link", name="Withdraw", exact=True).click()
    button = page.locator(".withdraw-form button[type=submit]")
    for choice, words in (
        ("All tasks I posted", "Take back what is chosen"),
        ("Who I am", "Forget who I am"),
        ("Everything", "Take everything back"),
    ):
        page.get_by_role("radio", name=re.compile(f"^{choice}")).check()
        assert button.inner_text() == words
        assert page.get_by_role("button", name=words, exact=True).count() == 1
    page.goto("/standings")
    page.get_by_role("link", name="Withdraw", exact=True).click()
    page.get_by_role("button", name="Take everything back", exact=True).click()
    page.get_by_text("Done on").wait_for()
    assert Withdrawal.objects.get().scope == "everything"
    assert Judge.objects.get(pk=judge.pk).erased_at is not None
