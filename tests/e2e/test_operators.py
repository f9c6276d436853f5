"""The operators' pages in a real browser: nothing breaks a rule of axe or of the policy, and a phone is wide enough."""

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client

from battles.models import Battle
from governance.models import JournalEntry
from judging.objections import report_problem
from judging.trust import hold_label
from tests.arena_site.operators import PASSWORD, code_now, make_operator, sign_in_operator
from tests.battles.factories import make_agent, make_judge, make_votable
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
    page.get_by_role("button", name="Show what it would do").click()
    page.get_by_role("heading", name="What it would do to the ranks").wait_for()
    assert defects(page) == []
    page.get_by_role("button", name="Release").click()
    page.get_by_text("Done: release").wait_for()
    for hold in held:
        hold.refresh_from_db()
    assert [hold.decision for hold in held] == ["released", "released"]


def test_an_operator_sets_up_a_second_factor_and_decides_what_waits(open_page):
    """Through the real pages, one act of each queue that a moderator and a steward decide."""
    agents = make_agent("one"), make_agent("other")
    votes = [judged(agents, "one" if number % 3 else "other", make_judge()) for number in range(9)]
    hold_label(vote=votes[0], actor="system:haste", reason="Hasty.")
    report_problem(battle=make_votable(kind="practice"), judge=make_judge(), kind="broken")
    leaked = make_votable()
    with transaction.atomic():
        Battle.objects.filter(pk=leaked.pk).update(leak_scan=Battle.Leak.LEAKED)
    account = make_operator(password=PASSWORD)
    page = open_page("/account/sign-in?next=/admin/")
    page.get_by_label("Name", exact=True).fill(account.username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Set up a second factor").wait_for()
    assert defects(page) == []
    page.get_by_label("Code").fill(code_now(page.locator(".set-up code").inner_text()))
    page.get_by_role("button", name="Set it up").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    assert defects(page) == []
    page.get_by_role("link", name="Go to the operators’ pages").click()

    def decide(queue, item, act, *, shown_first=False):
        page.goto("/admin/")
        page.locator(f"#due-{queue}").get_by_role("link", name=item).first.click()
        page.get_by_role("link", name=act, exact=True).click()
        page.get_by_role("heading", name=act).wait_for()
        page.get_by_label("Reason").fill("I looked at it.")
        assert defects(page) == []
        if shown_first:
            page.get_by_role("button", name="Show what it would do").click()
            page.get_by_role("heading", name="What it would do to the ranks").wait_for()
        page.get_by_role("button", name=act).click()
        page.get_by_text("Done: ").wait_for()

    decide("reports", "The recording is broken", "Bring the battle back")
    decide("labels", "Vote", "Release", shown_first=True)
    decide("leaks", "Leaked on", "The leak was looked at")
    page.goto(f"/admin/judging/vote/act/exclude/?ids={votes[3].pk}")
    page.get_by_label("Reason").fill("Staged.")
    page.get_by_role("button", name="Show what it would do").click()
    page.get_by_role("heading", name="What it would do to the ranks").wait_for()
    assert defects(page) == []
    page.get_by_role("button", name="Leave out of the ratings").click()
    page.get_by_text("Done: leave out of the ratings").wait_for()
    page.goto("/admin/governance/withdrawal/act/enter/")
    page.get_by_label("Whose labels").fill(votes[1].judge_id)
    page.get_by_label("Reason").fill("A letter.")
    page.get_by_role("button", name="Enter a letter").click()
    page.get_by_text("Done: enter a letter").wait_for()
    page.goto("/quality?board=demo")
    assert defects(page) == []
    decided = JournalEntry.objects.filter(actor=f"operator:{account.pk}").values_list("action", flat=True)
    assert set(decided) >= {
        "judging:report:restored",
        "judging:vote:released",
        "judging:battle:review_leak",
        "judging:vote:exclude",
        "governance:withdrawal:receive",
    }
