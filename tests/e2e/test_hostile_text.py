"""Hostile text stands in every column; pages that show some are opened in Chromium, and files are read.

Nothing of it runs, becomes an element, an address or a header, or is a formula to a spreadsheet.
"""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.test import Client
from django.urls import resolve

from tests.arena_site.security.addresses import addresses, other_battle
from tests.arena_site.security.board import browser_of, browser_of_account, browser_of_operator, build
from tests.arena_site.security.planting import plant, planted_columns

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

#: Tells of everything that ran or was refused, before the page's own scripts.
WATCH = """
window.hits = [];
window.hit = (what) => window.hits.push(what);
addEventListener("securitypolicyviolation", (event) => window.hits.push(`refused ${event.violatedDirective}`));
"""
#: What of the text became part of the page.
FOUND = """() => [
  ...window.hits,
  ...[...document.querySelectorAll("x-hit, [x-hit], iframe, img[src='x'], [onerror], [onload]")].map(
    (e) => e.outerHTML),
  ...[...document.querySelectorAll("[href], [src], [action], [formaction]")].flatMap((e) =>
    ["href", "src", "action", "formaction"].map((name) => e.getAttribute(name) || "")
      .filter((value) => /^[\\s\\0-\\x20]*(javascript|data|vbscript):/i.test(value))),
]"""
#: A cell that a spreadsheet would run, by the rule of OWASP; and after what separates cells elsewhere.
FORMULA = re.compile(r"^\s*[=+\-@\t\r|%\uff1d\uff0b\uff0d\uff20]|[;\t\n\r]\s*\"?[=+@\-\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"-?[\d.,e-]+%?")
LINKS = re.compile(r'href="(/[^"#]*)')
#: What else is served: no browser makes a page of it.
FILES = {
    "application/json",
    "application/octet-stream",
    "application/problem+json",
    "application/vnd.oai.openapi",
    "application/vnd.oai.openapi+json",
    "application/yaml",
    "image/webp",
    "text/markdown",
    "text/plain",
}
#: Where most of what strangers wrote is shown; ``make soak`` opens everything.
SHOW_MOST = {
    "home",
    "battle",
    "battle_live",
    "frame",
    "judge_me",
    "withdraw",
    "standings",
    "agent",
    "publication_csv",
    "api_metrics",
    "admin:index",
    "admin:battles_battle_change",
    "admin:battles_task_change",
    "admin:governance_journalentry_changelist",
    "admin:judging_heldlabel_change",
    "admin:judging_report_change",
    "admin:judging_vote_change",
    "admin:judging_report_changelist",
}
#: How many pages of a kind are opened, where one is not enough.
EACH = {"battle": 3}


@pytest.fixture
def arena(site, settings, tmp_path):
    settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"
    settings.ARENA_DATA_DIR = tmp_path
    found = build()
    written = plant()
    never = {f"{model._meta.label}.{field.name}" for model, field in planted_columns()} - written
    assert len(written) > 45, written
    # Where nothing was, nothing is written: never in what strangers say.
    assert not any(name.startswith(("battles.Task.", "battles.Step.", "judging.Vote.")) for name in never), never
    return found


def visitors(arena):
    return {
        "nobody": Client(),
        "judge": browser_of(arena.judge),
        "poster": browser_of_account(arena.account),
        "operator": browser_of_operator(arena.operators["administrator"]),
    }


def pages_of(arena, browser, names=None):
    """Paths that open for this visitor: from the table of addresses, and from links, a few of each kind.

    Args:
        names: of the only addresses that are asked for; all of them without.
    """
    waiting = [address.path for address in addresses(arena)]
    waiting += [other_battle(arena, path, battle) for path in waiting for battle in (arena.in_hand, arena.revealed)]
    seen, kinds, found = set(), {}, {}
    while waiting:
        path = waiting.pop(0).replace("&amp;", "&")
        if path in seen or path.startswith("/static/"):
            continue
        seen.add(path)
        match = resolve(path.partition("?")[0])
        kind = (match.view_name, "?" in path)
        if names is not None and match.view_name not in names:
            continue
        if kinds.get(kind, 0) >= EACH.get(match.view_name, 1) or match.view_name == "account_logout":
            continue
        answer = browser.get(path)
        # Whether everything is there is one address's own business.
        assert answer.status_code < 500 or match.view_name == "ready", (path, answer.status_code)
        body = b"".join(answer) if answer.streaming else answer.content
        if answer.status_code == 200:
            kinds[kind] = kinds.get(kind, 0) + 1
            found[path] = answer, body.decode(errors="replace")
            if "html" in answer["Content-Type"]:
                waiting += [link for link in LINKS.findall(found[path][1]) if _is_there(link)]
    return found


def _is_there(link):
    try:
        resolve(link.partition("?")[0].replace("&amp;", "&"))
    except Exception:
        return False
    return True


def cookies_of(browser, url):
    return [{"name": name, "value": cookie.value, "url": url} for name, cookie in browser.cookies.items()]


@pytest.mark.parametrize(
    ("names", "least"),
    [pytest.param(SHOW_MOST, 12, id="where most is shown"), pytest.param(None, 26, id="all", marks=pytest.mark.soak)],
)
def test_stored_text_is_text_everywhere(names, least, arena, site, chromium):
    shown, kinds, complaints = 0, set(), []
    for who, browser in visitors(arena).items():
        pages = pages_of(arena, browser, names)
        context = chromium.new_context(base_url=site)
        context.set_default_timeout(60_000)
        context.add_init_script(WATCH)
        if browser.cookies:
            context.add_cookies(cookies_of(browser, site))
        page = _listened_to(context, complaints)
        for path, (answer, text) in pages.items():
            kinds.add(resolve(path.partition("?")[0]).view_name)
            for name, value in answer.items():
                assert not re.search("[\r\n\0]", value), (path, name)
            assert not {"hit", "Set-Cookie"} & {*answer.cookies, *answer.headers}, path
            if "html" not in answer["Content-Type"]:
                _look_into_a_file(path, answer, text)
            elif "x-hit" in text:
                shown += 1
                page.goto(path, wait_until="domcontentloaded")
                assert (page.evaluate(FOUND), complaints) == ([], []), (who, path)
            else:
                # A page of our templates with nothing of it; not a file that is called one.
                assert answer.templates, path
        context.close()
    _look_into_exports(arena, visitors(arena)["operator"])
    assert shown >= least
    assert "frame" in kinds
    assert len(kinds) > (70 if names is None else 10)


def _listened_to(context, complaints):
    page = context.new_page()
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda told: complaints.append(told.text) if "Content Security" in told.text else None)
    return page


def _look_into_a_file(path, answer, text):
    kind = answer["Content-Type"]
    if kind.startswith("text/csv"):
        for row in csv.reader(io.StringIO(text)):
            assert not [cell for cell in row if FORMULA.search(cell) and not NUMBER.fullmatch(cell)], path
    elif kind.startswith("image/svg"):
        assert "<x-hit" not in text, path
        assert "<script" not in text, path
    else:
        # Never sniffed for markup.
        assert kind.partition(";")[0] in FILES, (path, kind)
    assert answer["X-Content-Type-Options"] == "nosniff", path


def _look_into_exports(arena, browser):
    """Every list that operators may take along."""
    exported = 0
    for address in addresses(arena):
        if address.name.endswith("_act"):
            path = re.sub(r"act/[^/]+/$", "act/export/", address.path)
            answer = browser.post(path, {"reason": "To look."})
            if answer.status_code == 200 and answer["Content-Type"].startswith("text/csv"):
                exported += 1
                _look_into_a_file(path, answer, b"".join(answer).decode())
    assert exported
