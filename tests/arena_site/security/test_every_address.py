"""Every address of the site, found in its table, as a visitor, a judge with an account and an operator ask for it."""

import re

import pytest
from django.conf import settings
from django.test import Client

from arena_site.middleware import SERVER
from judging.identity import COOKIE
from tests.arena_site.security.addresses import addresses, asked
from tests.arena_site.security.board import browser_of_account, browser_of_operator

pytestmark = pytest.mark.django_db

#: Tables that reading may write, and why that changes nothing for anybody.
READING_WRITES = {
    # The next battle is handed out where it is asked for: a lease of half an hour, which is given back by itself.
    "judge": {"judging_assignment", "governance_journalentry"},
    # The digest of a recovery code that is derived from the judge's own identifier.
    "withdraw": {"governance_recoverycode"},
    "account": {"governance_recoverycode"},
    "judge_me": {"governance_recoverycode"},
    # The head of the ledger is signed where somebody first asks for it.
    "ledger_checkpoint": {"governance_ledgerkey", "governance_ledgercheckpoint", "governance_ledgersignature"},
}
#: Of any visitor's session: what was typed before signing in, the secret of a second factor that is being set up.
SESSIONS = {"accounts_signinsession"}
#: Addresses that take no form's token, since they write nothing; the API is told by its own prefix.
READ_ONLY = {
    "api_claims",
    "api_consent",
    "ledger_checkpoint",
    "ledger_entries",
    "ledger_inclusion",
    "ledger_consistency",
    "ledger_keys",
}
FOR_MACHINES = {"live", "ready", "figures"}
#: What differs between two answers to anybody.
RANDOM = re.compile(r'name="(?:csrfmiddlewaretoken|idempotency_key|submission_key)" value="[^"]*"|[0-9a-zA-Z]{64}')
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "object-src": "'none'",
}


@pytest.fixture
def browsers(arena):
    found = {
        "nobody": Client(),
        "account": browser_of_account(arena.account),
        "operator": browser_of_operator(arena.operators["administrator"]),
    }
    for browser in found.values():
        # The first visit of an account makes its judge.
        browser.get("/battles/new")
    return found


@pytest.fixture
def read(arena, browsers):
    """Every address as each of them reads it: (name, path, who) to (answer, tables written)."""
    found = {}
    for address in addresses(arena):
        for who, browser in browsers.items():
            answer, written, _ = asked(browser, "GET", address.path)
            # Whether everything is there is one address's own business.
            assert answer.status_code < 500 or address.name == "ready", (address.path, who)
            found[address.name, address.path, who] = answer, written
    return found


def test_reading(read):
    """One walk, since it asks for everything: its rules are looked at one after the other."""
    opened = {name for (name, _, _), (answer, _) in read.items() if answer.status_code == 200}
    assert len(opened) > 90, sorted(opened)
    for (name, path, who), (answer, _) in read.items():
        about = (name, path, who, answer.status_code)
        _look_at_headers(answer, about)
    wrote = {(name, table) for (name, _, _), (_, tables) in read.items() for table in {*tables} - SESSIONS}
    assert {(name, table) for name, table in wrote if table not in READING_WRITES.get(name, set())} == set()
    for (name, path, who), (answer, _) in read.items():
        if who != "nobody" and _differs(answer, read[name, path, "nobody"][0]):
            kept_by = set(answer.get("Cache-Control", "").replace(" ", "").split(","))
            apart = "Cookie" in answer.get("Vary", "") and "public" not in kept_by
            assert apart or kept_by & {"private", "no-store"}, (name, path, who, kept_by)


def _look_at_headers(answer, about):
    policy = answer["Content-Security-Policy"]
    assert dict(each.strip().split(" ", 1) for each in policy.split(";")) == POLICY, about
    assert "unsafe" not in policy
    assert answer["X-Content-Type-Options"] == "nosniff", about
    assert answer["X-Frame-Options"] == "DENY", about
    assert answer["Referrer-Policy"] == "same-origin", about
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin", about
    assert answer.get("Access-Control-Allow-Origin", "*") == "*", about
    assert "Access-Control-Allow-Credentials" not in answer, about
    # Where none is given the server names itself (tests/arena_site/test_over_http.py).
    assert answer["Server"] == SERVER, about
    assert "X-Powered-By" not in answer, about
    assert not re.search(r"[\r\n\0]", "".join(answer.headers.values())), about
    if "Access-Control-Allow-Origin" in answer:
        assert not answer.cookies, about


def _differs(answer, other):
    return RANDOM.sub("", answer.said) != RANDOM.sub("", other.said)


def test_nothing_is_done_without_the_token_of_a_form(arena, browsers):
    """A form of another site is sent with the visitor's cookies and without our token."""
    for name, browser in list(browsers.items())[1:]:
        browser.handler.enforce_csrf_checks = True
        for address in addresses(arena):
            # Django asks for the token whatever the method; where it does not ask, every method is looked at.
            for method in ("POST", "PUT", "PATCH", "DELETE") if address.exempt else ("POST",):
                answer, written, _ = asked(browser, method, address.path)
                about = (address.name, method, name, answer.status_code)
                # What the API refuses is counted all the same.
                counted = {"accounts_attempt"} if address.path.startswith("/api/") else set()
                assert set(written) <= counted, about
                if not address.exempt:
                    assert answer.status_code == 403, about
                elif not address.path.startswith("/api/"):
                    assert address.name in READ_ONLY, about
                else:
                    assert answer.status_code in {400, 401, 403, 404, 405, 415, 422}, about


def test_cookies_are_the_servers_alone_and_leave_it_encrypted(arena, settings):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    seen = set()
    for browser in (Client(), browser_of_account(arena.account)):
        for address in addresses(arena):
            plain = browser.get(address.path)
            assert not plain.cookies, address.path
            # What watches over a host asks the site itself, and is told nothing of anybody.
            if address.name not in FOR_MACHINES:
                assert plain.status_code == 301, address.path
                assert plain.url.startswith("https://testserver/"), address.path
            answer = browser.get(address.path, secure=True)
            assert answer["Strict-Transport-Security"] == "max-age=31536000", address.path
            for name, cookie in answer.cookies.items():
                seen.add(name)
                assert cookie["httponly"], (address.path, name)
                assert cookie["secure"], (address.path, name)
                assert cookie["samesite"] == "Lax", (address.path, name)
                assert not cookie["domain"], (address.path, name)
    # The session's own is looked at where somebody signs in (accounts/test_signing.py).
    assert seen >= {settings.CSRF_COOKIE_NAME, "ringside_judge"}


def test_a_name_that_is_not_ours_is_answered_by_nothing(client):
    """A page that lets its own name point at this machine is refused by the name."""
    assert settings.ALLOWED_HOSTS != ["*"]
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "testserver@evil.example"):
        assert client.get("/", headers={"host": host}).status_code == 400


@pytest.mark.parametrize(
    "value", ["<x-hit>", "a:b:c", "%0d%0aSet-Cookie: hit=1", "\xff", "'\"><x-hit>:forged", ":" * 4000]
)
def test_a_cookie_that_is_no_judges_is_nobodys(arena, value):
    browser = Client()
    browser.cookies["ringside_judge"] = value
    answer = browser.get("/judge/me")
    assert answer.status_code == 200
    assert "x-hit" not in answer.content.decode()
    assert "hit" not in answer.cookies


#: A NUL can be written in a cookie, and PostgreSQL takes none in a text; 32 is the length of a session's key.
BROKEN = ("abcdefgh\0", "a" * 31 + "\0", "\0" * 32, "\xff" * 32, "A" * 32, "a" * 4000)


@pytest.mark.parametrize("value", BROKEN, ids=ascii)
def test_cookies_that_no_answer_gave_break_no_address(arena, value):
    browser = Client()
    for address in addresses(arena):
        for name in (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, COOKIE, "messages", "django_language"):
            browser.cookies[name] = value
        answer, _, _ = asked(browser, "GET", address.path)
        # Whether everything is there is one address's own business.
        assert answer.status_code < 500 or address.name == "ready", address.path
        assert value not in answer.said, address.path
        # A secret of forms that is of the right form is the browser's own to choose; nothing else is taken over.
        kept = {name for name, cookie in answer.cookies.items() if cookie.value == value}
        assert kept <= {settings.CSRF_COOKIE_NAME}, address.path
