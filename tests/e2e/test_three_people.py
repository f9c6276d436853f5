"""The whole life of a battle by three people, each in a browser of their own, on the arena as its Procfile runs it.

Anna posts a task and offers it, over a slow network. Ben signs up on a phone, practises, reports a battle and judges
Anna's. Olga operates: she sets up her second factor, brings the reported battle back, and finds Ben's vote. The races
are real ones of the reference agents. Whatever a page complains about in its console fails the test.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.arena_site.accounts.people import PASSWORD
from tests.arena_site.operators import code_now
from tests.arena_site.services.conftest import wait_until
from tests.e2e.axe import defects
from tests.e2e.conftest import HEIGHTS, LOUD
from tests.e2e.stack import running_stack

pytestmark = [pytest.mark.browser, pytest.mark.stack]

#: Three practice races, one after the other, and Anna's, on a machine that does other things besides.
RACE_MS = 300_000
TIMEOUT_MS = 30_000
#: A weak mobile network.
SLOW = {"offline": False, "latency": 300, "downloadThroughput": 90_000, "uploadThroughput": 40_000}
TOO_WIDE = "document.documentElement.scrollWidth > window.innerWidth"
#: Names of the reference agents; no page may say one before its viewer's vote is final.
NAMES = re.compile("Reference (Lexical|Explorer|Random)")


@pytest.fixture(scope="module")
def stack():
    with running_stack() as running:
        yield running
        # Shown where a test failed.
        print(running.log())


@pytest.fixture
def person(chromium, stack):
    """A new browser: ``person(width, scheme)``."""
    contexts, complaints = [], []

    def arrive(width: int, scheme: str, **options) -> Page:
        viewport = {"width": width, "height": HEIGHTS[width]}
        context = chromium.new_context(viewport=viewport, base_url=stack.address, color_scheme=scheme, **options)
        context.set_default_timeout(TIMEOUT_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type in LOUD else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield arrive
    for context in contexts:
        context.close()
    assert complaints == []


def look_over(page: Page) -> None:
    """What holds of every page that somebody meets here."""
    assert defects(page) == [], page.url
    assert not page.evaluate(TOO_WIDE), page.url


def sign_up(page: Page, name: str) -> None:
    page.goto("/account/sign-up")
    look_over(page)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The password once more").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.wait_for_url("**/judge/me")
    look_over(page)


def post(page: Page) -> str:
    """The path of the battle."""
    page.goto("/")
    look_over(page)
    page.get_by_label("What should be done?").fill("Find out when the Quayside branch opens on Saturdays.")
    page.get_by_label("Where do they start?").fill("http://library.practice.test/")
    page.get_by_role("button", name="Check the task").click()
    look_over(page)
    page.get_by_label("I agree.").check()
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_url("**/battles/*-*")
    look_over(page)
    return "/" + page.url.split("/", 3)[3]


def vote(page: Page) -> None:
    """Say that A is better, wherever the marks can be reached by a finger."""
    page.locator(".pick").nth(0).click()
    bar = page.locator("#vote-bar")
    for lane in (0, 1):
        bar.locator(".segment-lane").nth(lane).get_by_text("Done", exact=True).click()
    consent = bar.locator("[name=consent]")
    if consent.count():
        consent.check()
    assert not NAMES.search(page.content())
    page.get_by_role("button", name="Save my vote").click()
    page.get_by_text("Saved:").wait_for()


def next_battle(page: Page, seen: set[str]) -> str:
    """Ask for battles until there is one that was not met before."""
    for _ in range(RACE_MS // 2000):
        page.goto("/judge")
        path = "/" + page.url.split("/", 3)[3]
        if path.startswith("/battles/") and path not in seen and page.locator(".pick").count():
            seen.add(path)
            return path
        page.wait_for_timeout(2000)
    raise AssertionError("no battle was handed out")


def report(page: Page) -> None:
    page.get_by_role("button", name="Not this one").click()
    page.get_by_label("What an operator should know").fill("There is an address on it.")
    form = page.locator("form[action$='/report']")
    consent = form.locator("[name=consent]")
    if consent.count():
        consent.check()
    page.get_by_role("button", name="Report and hide it").click()
    page.get_by_role("heading", name="Reported").wait_for()
    look_over(page)


def to_the_operators_pages(page: Page, stack) -> None:
    sign_up(page, "olga")
    stack.run("operators", "add", "olga", "--role", "administrator", "--reason", "Runs this arena.")
    page.goto("/admin/")
    if "/account/confirm" in page.url or "/account/sign-in" in page.url:
        page.get_by_label("Password").fill(PASSWORD)
        page.locator("main form button[type=submit]").first.click()
    page.get_by_role("heading", name="Set up a second factor").wait_for()
    look_over(page)
    secret = page.locator(".set-up code").inner_text()
    page.get_by_label("Code").fill(code_now(secret))
    page.get_by_role("button", name="Set it up").click()
    page.wait_for_load_state()
    look_over(page)
    page.goto("/admin/")
    look_over(page)


def test_a_battle_by_three_people(person, stack):
    anna, ben, olga = person(1280, "light"), person(360, "dark", has_touch=True), person(1920, "light")
    anna.context.new_cdp_session(anna).send("Network.emulateNetworkConditions", SLOW)
    path = post(anna)
    sign_up(ben, "ben")
    to_the_operators_pages(olga, stack)

    # Ben practises while Anna's battle waits or races; one of the battles he reports instead.
    seen = {path}
    reported = next_battle(ben, seen)
    look_over(ben)
    report(ben)
    for _ in range(3):
        next_battle(ben, seen)
        look_over(ben)
        vote(ben)

    # Anna sees her race end, judges it blind, and lets others judge it before she knows who it was.
    anna.get_by_role("link", name="Watch the replay and judge").or_(
        anna.get_by_role("button", name="Save my vote")
    ).first.wait_for(timeout=RACE_MS)
    anna.goto(path)
    look_over(anna)
    vote(anna)
    anna.get_by_role("button", name="Only you can see this").click()
    look_over(anna)
    anna.get_by_role("button", name="Let others judge it").click()
    anna.get_by_text("Offered to other judges").wait_for()
    assert not NAMES.search(anna.content())

    # Ben is handed it, leaves with the back button and finds it again, votes, and is told who raced.
    ben.goto("/standings")
    ben.goto("/judge")
    ben.wait_for_url(f"**{path}")
    ben.go_back()
    ben.wait_for_url("**/standings")
    ben.go_forward()
    ben.wait_for_url(f"**{path}")
    look_over(ben)
    vote(ben)
    ben.wait_for_timeout(800)
    ben.get_by_role("button", name="Lock and see who raced").click()
    # One battle in twenty comes back to its judge, who is then told after the second look.
    who = ben.get_by_role("heading", name="Who raced")
    who.or_(ben.get_by_text("The names stay hidden for now")).first.wait_for()
    look_over(ben)
    assert bool(NAMES.search(ben.content())) == bool(who.count())

    # Olga brings the reported battle back; it can be judged again.
    olga.goto("/admin/")
    olga.get_by_role("heading", name="Reports").get_by_role("link").click()
    look_over(olga)
    olga.get_by_label("Choose all on this page").check()
    olga.get_by_label("With those chosen").select_option(label="Bring the battle back")
    olga.get_by_role("button", name="Go on").click()
    look_over(olga)
    olga.get_by_label("Reason").fill("The address is the practice site's own.")
    olga.locator("main form button[type=submit]").last.click()
    olga.get_by_text("Done:").wait_for()
    anna.goto(reported)
    expect(anna.locator(".replay")).to_be_visible()

    # What was voted is published, for everybody and for programs; every promise holds on what these three did.
    wait_until(lambda: anna.request.get("/api/publications").json()["results"], RACE_MS / 1000)
    anna.goto("/standings")
    look_over(anna)
    for command in ("verify_ledger", "verify_publication", "verify_consent", "verify_battle_access"):
        stack.run(command)
    assert "Traceback" not in stack.log()
