"""Making and revoking an API token in a real browser: with and without scripts, on a phone, by axe."""

import re

import pytest

from arena_site.accounts.models import ApiToken
from arena_site.accounts.tokens import check_token
from tests.arena_site.accounts.people import PASSWORD, make_account
from tests.e2e.axe import defects_in_every_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def sign_in_and_go(page):
    page.goto("/account/sign-in?next=/judge/me")
    page.get_by_label("Name", exact=True).fill("margot")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="API tokens").click()
    page.get_by_role("heading", name="API tokens").wait_for()


def make_one(page):
    page.get_by_label("What is it for?").fill("a script with a rather long name on a laptop")
    page.get_by_label(re.compile("Take battles from the pool")).check()
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Make it").click()
    page.get_by_text("Copy it now").wait_for()
    return page.locator(".message code").first.inner_text()


def test_a_token_is_made_shown_and_revoked_and_axe_finds_nothing(open_page):
    make_account()
    page = open_page("/account/sign-in")
    sign_in_and_go(page)
    text = make_one(page)
    assert check_token(text).scopes == ["read", "judge"]
    assert defects_in_every_look(page) == []
    page.get_by_role("button", name=re.compile("^Revoke")).click()
    page.get_by_text(re.compile("^revoked")).wait_for()
    assert ApiToken.objects.get().revoked_at is not None


def test_all_of_it_works_without_scripts(chromium, site):
    make_account()
    page = chromium.new_context(java_script_enabled=False, base_url=site).new_page()
    sign_in_and_go(page)
    text = make_one(page)
    assert check_token(text)
    page.get_by_role("button", name=re.compile("^Revoke")).click()
    page.get_by_text(re.compile("^revoked")).wait_for()
    page.context.close()
