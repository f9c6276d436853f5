"""Taking back in Chromium: the form and the page of a withdrawal are accessible and fit their window."""

import pytest

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
