"""Making an account in a real browser: the sum it does, what people see meanwhile, and what is kept."""

import pytest

from arena_site.accounts.models import Account, ProofRecord
from battles.models import Task
from tests.arena_site.accounts.people import PASSWORD, make_account
from tests.e2e.axe import defects, defects_in_every_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: A phone of years ago has about a quarter of this machine's speed.
SLOW_PHONE = 4
#: The sum may take so long on it, in milliseconds, on a machine that does other things besides.
PATIENCE_MS = 6000

TIME_THE_SUM = """async () => {
  const form = document.querySelector("[data-proof]");
  const challenge = await (await fetch(form.dataset.proof)).json();
  const worker = new Worker(form.dataset.proofWorker);
  const start = performance.now();
  const answer = await new Promise((resolve, reject) => {
    worker.onerror = reject;
    worker.onmessage = ({ data }) => { if (data.solution) resolve(data.solution); };
    worker.postMessage(challenge);
  });
  worker.terminate();
  return { ms: performance.now() - start, guesses: answer.counter };
}"""


def fill_in(page, name="margot"):
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The password once more").fill(PASSWORD)


def test_signing_up_by_keyboard_out_and_in_again(open_page):
    page = open_page("/standings")
    page.get_by_role("link", name="Sign in").press("Enter")
    page.get_by_role("link", name="Make an account").press("Enter")
    fill_in(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/standings")
    assert Account.objects.get().username == "margot"
    assert ProofRecord.objects.get().state == "verified"
    page.get_by_role("link", name="Account").press("Enter")
    assert defects(page) == []
    page.get_by_role("button", name="Sign out").press("Enter")
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("Name", exact=True).fill("Margot")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="My judging").wait_for()


def test_whoever_is_quicker_than_the_sum_sees_that_it_is_done(open_page):
    page = open_page("/account/sign-up")
    held = []

    def hold(route):
        held.append(route)

    page.route("**/account/proof**", hold)
    fill_in(page)
    page.get_by_role("button", name="Make the account").click(no_wait_after=True)
    page.get_by_role("progressbar").wait_for()
    assert defects(page) == []
    assert Account.objects.count() == 0
    held[0].continue_()
    page.wait_for_url("**/judge/me")
    assert Account.objects.count() == 1


def test_the_sum_is_short_on_a_slow_phone_too(open_page):
    page = open_page("/account/sign-up", width=360)
    desk = sorted((page.evaluate(TIME_THE_SUM) for _ in range(3)), key=lambda run: run["ms"])
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOW_PHONE})
    phone = sorted((page.evaluate(TIME_THE_SUM) for _ in range(3)), key=lambda run: run["ms"])
    for where, runs in (("here", desk), ("slowed down", phone)):
        print(where, [f"{run['ms']:.0f} ms for {run['guesses']} guesses" for run in runs])
    assert phone[1]["ms"] < PATIENCE_MS


def test_a_refusal_keeps_the_name_and_asks_for_a_new_sum(chromium, site):
    make_account("margot")
    # Not one of the pages that may complain of nothing: the browser reports every refusal.
    page = chromium.new_page(base_url=site)
    page.goto("/account/sign-up")
    fill_in(page)
    page.get_by_role("button", name="Make the account").click()
    page.get_by_text("This name is taken").wait_for()
    assert defects(page) == []
    fill_in(page, "margot-2")
    page.get_by_role("button", name="Make the account").click()
    page.wait_for_url("**/judge/me")
    assert Account.objects.count() == 2
    page.close()


def test_when_the_check_cannot_be_had_a_task_is_still_taken(open_page):
    page = open_page("/battles/new")
    page.route("**/static/ringside/proof-worker.js", lambda route: route.fulfill(body="close();"))
    page.clock.install()
    page.get_by_label("What should be done?").fill("Find out when the Quayside branch opens on Saturdays.")
    page.get_by_label("Where do they start?").fill("http://library.practice.test/")
    page.get_by_label("I agree.").check()
    page.get_by_role("button", name="Start the race").click(no_wait_after=True)
    page.get_by_role("progressbar").wait_for()
    page.clock.fast_forward(20_000)
    page.wait_for_url("**/battles/*-*")
    assert Task.objects.get().judge.proofs.get().state == "unverified"


def test_a_task_is_posted_with_the_sum_done_meanwhile_and_kept_over_a_sign_in(open_page, site):
    make_account("margot")
    page = open_page("/battles/new")
    page.get_by_label("What should be done?").fill("Find out when the Quayside branch opens on Saturdays.")
    page.get_by_role("button", name="Sign in first").click()
    page.get_by_text("What you typed is kept").wait_for()
    page.get_by_label("Name", exact=True).fill("margot")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/battles/new")
    assert page.get_by_label("What should be done?").input_value().startswith("Find out when the Quayside")
    page = open_page("/battles/new")
    page.get_by_label("What should be done?").fill("Find out when the Harbour branch opens on Saturdays.")
    page.get_by_label("Where do they start?").fill("http://library.practice.test/")
    page.get_by_label("I agree.").check()
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_url("**/battles/*-*")
    assert Task.objects.get().judge.proofs.get().state == "verified"


def test_without_scripts_the_page_says_why_no_account_can_be_made(open_page, chromium, site):
    with_scripts = open_page("/account/sign-up")
    assert not with_scripts.get_by_text("This page needs scripts").is_visible()
    page = chromium.new_context(java_script_enabled=False, base_url=site).new_page()
    page.goto("/account/sign-up")
    assert page.get_by_text("This page needs scripts").is_visible()
    fill_in(page)
    page.get_by_role("button", name="Make the account").click()
    page.get_by_text("No account was made").wait_for()
    page.context.close()
    assert Account.objects.count() == 0


def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page):
    page = open_page("/account/sign-up")
    fill_in(page)
    found = []
    for path in ("/account/sign-in", "/account/sign-up", "/account/closed"):
        found += look_at(page, path)
    page.goto("/account/sign-up")
    fill_in(page)
    page.get_by_role("button", name="Make the account").click()
    page.wait_for_url("**/judge/me")
    for path in ("/account", "/account/password", "/account/sign-out", "/battles/new"):
        found += look_at(page, path)
    assert found == []


def look_at(page, path):
    page.goto(path)
    return [(path, *defect) for defect in defects_in_every_look(page)]
