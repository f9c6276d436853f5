"""Which of the operators' pages are taken pictures of, and what an operator has done on them before."""

from __future__ import annotations

from urllib.parse import urlencode

from playwright.sync_api import Page

from arena_site.operators_week import Week
from arena_site.photographer import Shot

WHY = "Both lanes were given the answer by the page itself."
WHY_RELEASED = "Both lanes are short; one reads them in this time."


def shots_at_work(week: Week) -> list[Shot]:
    """Each queue of an operator's week, with the acts on it as they look before they are done."""
    held = [("ids", each) for each in week.held]
    rated = [("ids", each) for each in week.rated]
    return [
        Shot("operators-due", "/admin/"),
        Shot("operators-reports", "/admin/judging/report/"),
        Shot("operators-report", f"/admin/judging/report/{week.report}/change/"),
        Shot("operators-held", "/admin/judging/heldlabel/", prepare=_choose_all),
        Shot("operators-release", f"/admin/judging/heldlabel/act/release/?{urlencode(held)}", prepare=_see_the_release),
        Shot("operators-leak", f"/admin/battles/battle/{week.leaked}/change/"),
        Shot("operators-exclude", f"/admin/battles/battle/act/exclude/?{urlencode(rated)}", prepare=_see_the_effect),
        Shot("operators-judge", f"/admin/governance/judge/{week.judge}/change/?calls=1"),
        Shot("operators-letter", "/admin/governance/withdrawal/act/enter/"),
        Shot("operators-withdrawals", "/admin/governance/withdrawal/"),
        Shot("operators-withdrawal", f"/admin/governance/withdrawal/{week.letter}/change/"),
        Shot("operators-licensee", f"/admin/governance/licensee/{week.licensee}/change/"),
        Shot("operators-snapshot", f"/admin/governance/snapshot/{week.snapshot}/change/"),
        Shot("operators-deliver", f"/admin/governance/snapshot/act/deliver/?ids={week.snapshot}"),
        Shot("operators-notice", f"/admin/governance/withdrawalnotice/{week.notice}/change/"),
        Shot("operators-refits", "/admin/ratings/refit/"),
        Shot("operators-publication", f"/admin/ratings/publication/{week.publication}/change/"),
        Shot("operators-roster", "/admin/battles/agent/"),
        Shot("operators-join", "/admin/battles/agent/act/roster/"),
        Shot("operators-retire", f"/admin/battles/agent/act/retire/?ids={week.joined}"),
        Shot("operators-journal", "/admin/governance/journalentry/"),
        Shot("operators-quality", "/quality"),
    ]


def shots_of_a_newcomer() -> list[Shot]:
    """What an operator sees before anything else."""
    return [
        Shot("operators-set-up", "/account/second-factor"),
        Shot("operators-sign-in", "/account/sign-in", known=False),
    ]


def _choose_all(page: Page) -> None:
    page.get_by_label("Choose all on this page").check()


def _see_the_effect(page: Page) -> None:
    _ask_what_it_would_do(page, WHY)


def _see_the_release(page: Page) -> None:
    _ask_what_it_would_do(page, WHY_RELEASED)


def _ask_what_it_would_do(page: Page, reason: str) -> None:
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name="Show what it would do").click()
    page.get_by_role("heading", name="What it would do to the ranks").wait_for()
