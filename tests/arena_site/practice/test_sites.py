"""What every practice site owes its visitors: whole pages, honest errors, nothing that breaks it."""

from __future__ import annotations

import re
import threading
import time
from urllib.parse import urlencode, urljoin
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_site.practice import register_practice_sites
from arena_site.practice.library import Library
from arena_site.practice.markup import html
from arena_site.practice.museum import Museum
from arena_site.practice.shop import Shop
from arena_site.practice.timetable import Timetable
from arena_site.practice.wsgi_site import (
    MAX_BODY_BYTES,
    MAX_FIELDS,
    MAX_QUERY_CHARS,
    Request,
    Response,
    WsgiSite,
    see_other,
)
from battles.checks import practice_hosts, practice_tasks
from tests.arena_site.practice.visitor import Page

SITES = (Shop, Library, Timetable, Museum)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
#: More pages than any of the sites has under one way to sort and narrow.
MOST_PAGES = 260
EVIL = "\"'><script>alert(1)</script>{0}{x}%s&amp;"


def ask(
    site: WsgiSite, method: str, path: str, *, query: str = "", body: bytes = b"", kind: str = ""
) -> tuple[int, str]:
    """One request in process, checked against the WSGI specification."""
    environ = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path.encode().decode("latin-1"),
        "QUERY_STRING": query,
    }
    setup_testing_defaults(environ)
    environ |= {"CONTENT_LENGTH": str(len(body)), "CONTENT_TYPE": kind or FORM["Content-Type"]}
    environ["wsgi.input"].write(body)
    environ["wsgi.input"].seek(0)
    seen: list[str] = []
    result = validator(site)(environ, lambda status, headers, exc_info=None: seen.append(status))
    try:
        content = b"".join(result)
    finally:
        result.close()
    return int(seen[0].split()[0]), content.decode()


def pages_of(site: WsgiSite) -> dict[str, Page]:
    """Every page that links lead to from the home page, by path."""
    found: dict[str, Page] = {}
    waiting = ["/"]
    while waiting and len(found) < MOST_PAGES:
        address = waiting.pop(0)
        if address in found:
            continue
        path, _, query = address.partition("?")
        status, content = ask(site, "GET", path, query=query)
        assert status == 200, f"{address} answers {status}"
        found[address] = page = Page(content)
        waiting += [urljoin(address, href) for _, href in page.links]
    return found


@pytest.mark.parametrize("site_class", SITES)
def test_every_link_leads_somewhere_and_every_page_is_whole(site_class):
    pages = pages_of(site_class())
    assert len(pages) > 30
    for address, page in pages.items():
        assert page.headings == 1, f"{address} has {page.headings} main headings"
        assert len(page.ids) == len(set(page.ids)), f"{address} uses an id twice"
        assert '<html lang="en">' in page.markup
        assert re.search(r"<title>[^<]+</title>", page.markup)
        assert all(alt is not None for _, alt in page.images)
        assert all(fragment.removeprefix("#") in page.ids for fragment in page.fragments)
        for form in page.forms:
            for control in form.controls:
                assert control.label or control.kind == "hidden", f"{address}: {control.name} has no label"
            assert form.buttons, f"{address}: a form without a button"


@pytest.mark.parametrize("site_class", SITES)
def test_pictures_stylesheets_and_scripts_are_served_by_the_site_itself(site_class):
    site = site_class()
    sources = {"/" + name for name in site.assets}
    for page in pages_of(site).values():
        sources |= {src for src, _ in page.images}
        assert not re.search(r"(href|src|action)=\"(https?:)?//", page.markup)
        assert not re.search(r"<[^>]+ (style|on\w+)=", page.markup)
    for source in sources:
        assert ask(site, "GET", source)[0] == 200, source


@pytest.mark.parametrize("site_class", SITES)
def test_an_unknown_page_says_so_in_the_sites_own_look(site_class):
    for path in ("/nothing", "/record/99999", "/article/none", "/stations/none", "/%2e%2e/etc", "/é", "/shop.css/x"):
        status, content = ask(site_class(), "GET", path)
        assert status == 404
        assert "Page not found" in content
        assert site_class.assets[0] in content


@pytest.mark.parametrize("site_class", SITES)
def test_what_cannot_be_read_is_refused_and_said(site_class, visit):
    visitor = visit(site_class())
    assert visitor.request("POST", "/")[0] == 405
    assert visitor.request("POST", "/")[1]["allow"] == "GET"
    assert visitor.request("DELETE", "/")[0] == 405
    assert visitor.request("GET", "/?q=" + "x" * MAX_QUERY_CHARS)[0] == 414
    assert visitor.request("POST", "/", b"x" * (MAX_BODY_BYTES + 1), FORM)[0] == 413
    assert visitor.request("POST", "/", b"{}", {"Content-Type": "application/json"})[0] == 415
    assert visitor.request("POST", "/", b"&".join([b"a=1"] * (MAX_FIELDS + 1)), FORM)[0] == 400
    assert visitor.request("POST", "/", None, {"Content-Length": "many"})[0] == 400


@pytest.mark.parametrize("site_class", SITES)
def test_pages_carry_a_policy_and_head_has_no_body(site_class, visit):
    visitor = visit(site_class())
    status, headers, body = visitor.request("GET", "/")
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    head = visitor.request("HEAD", "/")
    assert head[0] == 200
    assert head[1]["content-length"] == str(len(body))
    assert head[2] == b""


@pytest.mark.parametrize("site_class", SITES)
def test_a_start_page_is_the_same_for_everybody(site_class):
    assert ask(site_class(), "GET", "/") == ask(site_class(), "GET", "/")


def form_fields(site: WsgiSite) -> list[tuple[str, str, list[str]]]:
    """Every form of the site as method, action and the names of its controls."""
    return [
        (form.method, urljoin(address, form.action), [control.name for control in form.controls])
        for address, page in pages_of(site).items()
        for form in page.forms
    ]


FIELDS = {site_class: form_fields(site_class()) for site_class in SITES}
NAMES = sorted(
    {name for forms in FIELDS.values() for _, _, names in forms for name in names} | {"page", "remove", "added"}
)
ANYTHING = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["", "yes", "0", "-1", "1", "999999999999", "2027-02-31", "2027-03-18", "standard", "abroad", EVIL,
                     "Brackwater", "quayside", "2204118703", "R-7304", "10164", "\x00", "\ud7ff", "10:99",
                     "2027-03-27-1400", "14:00"]),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_form_input_breaks_a_site(data):
    site_class = data.draw(st.sampled_from(SITES))
    site = site_class()
    for method, action, names in data.draw(st.lists(st.sampled_from(FIELDS[site_class]), min_size=1, max_size=6)):
        values = {name: data.draw(ANYTHING) for name in [*names, data.draw(st.sampled_from(NAMES))]}
        sent = urlencode(values)
        if method == "GET":
            status, content = ask(site, "GET", action, query=sent[:MAX_QUERY_CHARS])
        else:
            status, content = ask(site, "POST", action, body=sent.encode())
        assert status < 500
        assert "<script>alert" not in content


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SITES), st.sampled_from(["GET", "HEAD", "POST"]), st.text(max_size=40), st.text(max_size=40))
def test_no_path_query_or_body_breaks_a_site(site_class, method, tail, noise):
    site = site_class()
    raw = noise.encode("utf-8", "replace")
    for start in ("/", "/search/", "/article/", "/record/", "/reserve/C115/", "/lists/show/", "/journeys", "/tours/"):
        query = raw.decode("latin-1").replace("\n", "").replace("\r", "")
        assert ask(site, method, start + tail, query=query, body=raw if method == "POST" else b"")[0] < 500


@pytest.mark.parametrize(
    ("site_class", "path", "query"),
    [
        (Shop, "/search", {"q": EVIL}),
        (Library, "/search", {"q": EVIL, "author": EVIL}),
        (Timetable, "/journeys", {"from": EVIL, "to": EVIL}),
        (Timetable, "/fares", {"from": EVIL, "to": "Marram"}),
        (Shop, "/track", {"order": EVIL[:20]}),
        (Museum, "/search", {"q": EVIL}),
        (Museum, "/collection", {"words": EVIL}),
    ],
)
def test_what_a_visitor_types_stays_in_the_form_as_text(site_class, path, query):
    status, content = ask(site_class(), "GET", path, query=urlencode(query))
    assert status in {200, 422}
    assert "<script>" not in content.replace('<script src="/timetable.js" defer></script>', "")
    values = {control.value for form in Page(content).forms for control in form.controls}
    assert set(query.values()) <= values


@pytest.mark.parametrize(
    ("site_class", "path", "typed"),
    [
        (Shop, "/contact", {"name": "Ada", "email": "no address", "message": "<b>two\nlines</b>"}),
        (Library, "/suggest", {"title": "A & B", "year": "20x5", "reason": "<i>why</i>"}),
        (Timetable, "/lost-property", {"description": "grey\n\nbag </textarea>", "day": "2031-01-01", "name": "Ada"}),
        (Museum, "/tours/dyers-and-weavers/book", {"people": "many", "name": "A & B", "remarks": "two\n<b>lines</b>"}),
    ],
)
def test_a_form_with_mistakes_comes_back_with_all_that_was_typed(site_class, path, typed):
    site = site_class()
    status, content = ask(site, "POST", path, body=urlencode(typed).encode())
    assert status == 422
    page = Page(content)
    assert "Please check the form" in page.text
    kept = {control.name: control.value for form in page.forms for control in form.controls if control.name in typed}
    assert kept == typed
    assert all(fragment.removeprefix("#") in page.ids for fragment in page.fragments)


@given(st.text(max_size=60))
def test_markup_escapes_whatever_is_put_into_it(text):
    filled = html('<p title="{value}">{value}</p>', value=text)
    assert filled.count("<") == 2
    assert filled.count('"') == 2


def test_two_instances_never_see_each_others_state():
    first, second = Shop(), Shop()
    ask(first, "POST", "/article/larch-bread-board/basket", body=b"quantity=2")
    assert first.basket.count == 2
    assert second.basket.count == 0
    one, other = Library(), Library()
    ask(one, "POST", "/lists/new", body=b"name=Mine")
    assert len(one.lists) == len(other.lists) + 1


class SlowShop(Shop):
    """Counts how many requests are inside a page at once."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = self.most_inside = 0
        self.routes.add("/slow", post=self.slow)

    def slow(self, _request: Request) -> Response:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        time.sleep(0.03)
        self.inside -= 1
        return see_other("/")


def test_requests_that_come_at_the_same_time_are_answered_one_by_one(visit):
    shop = SlowShop()
    visitor = visit(shop)
    threads = [threading.Thread(target=visitor.request, args=("POST", "/slow")) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert shop.most_inside == 1


@pytest.mark.parametrize("way", ["/contact", "/newsletter", "/article/tide-sieve/review"])
def test_a_visitor_cannot_fill_the_memory(way):
    shop = Shop()
    typed = {"topic": "other", "name": "A", "email": "a@b.test", "message": "m", "frequency": "weekly", "stars": "3"}
    body = urlencode(typed | {"title": "t", "text": "t"}).encode()
    statuses = {ask(shop, "POST", way, body=body)[0] for _ in range(130)}
    assert statuses == {303, 409}
    assert max(len(shop.messages), len(shop.subscriptions), len(shop.reviews)) == 100


def test_sites_and_tasks_are_registered_once_however_often_it_is_asked():
    register_practice_sites()
    before = dict(practice_tasks())
    register_practice_sites()
    assert practice_tasks() == before
    for site_class in SITES:
        assert isinstance(practice_hosts()[site_class.host](), site_class)
        tasks = [task for task in practice_tasks().values() if task.host == site_class.host]
        assert len(tasks) >= 10
        assert {task.kind for task in tasks} == {"answer", "action"}


def test_every_task_asks_in_a_persons_words_and_begins_on_a_page():
    sites = {site_class.host: site_class() for site_class in SITES}
    for task in practice_tasks().values():
        if task.host in sites:
            assert 10 <= len(task.instruction) <= 2000
            assert task.kind in {"answer", "action"}
            assert ask(sites[task.host], "GET", task.path)[0] == 200
            assert "/" not in task.instruction, "people name things, not addresses"
            assert not task.check(sites[task.host], "")
