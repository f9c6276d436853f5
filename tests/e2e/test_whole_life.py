"""A battle from the first page to the standings, as somebody lives it who has only a browser."""

import uuid

import pytest

from battles.finishing import finish_battle
from battles.lanes.recorder import Recorder
from battles.models import Agent, Battle
from battles.racing import start_attempt
from judging.models import Vote
from ratings.models import Board
from ratings.refit import refit
from tests.battles.factories import ended, make_battle, make_judge, make_votable, race, set_on, started, step

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: A vote with both lanes' verdicts, the consent of a newcomer, and the lock.
MOST_KEYS = 12


class Keys:
    """A keyboard that counts."""

    def __init__(self, page):
        self._page = page
        self.pressed = 0

    def press(self, *names):
        for name in names:
            self._page.keyboard.press(name)
            self.pressed += 1


def saved(page):
    """Wait for the bar to say so, and a little: a double press must not lock."""
    page.get_by_text("Saved:").wait_for()
    page.wait_for_timeout(800)


def practice_battle():
    return make_votable(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.filter(kind="baseline")[:2]))


def test_post_watch_replay_judge_and_reveal_with_a_keyboard(open_page, race_now):
    page = open_page("/")
    page.get_by_label("What should be done?").fill("Find out when the Quayside branch opens on Saturdays.")
    page.get_by_label("Where do they start?").fill("http://library.practice.test/")
    page.get_by_role("button", name="Check the task").press("Enter")
    assert page.get_by_label("What is it about?").input_value() == "research"
    page.get_by_label("I agree.").press("Space")
    page.get_by_role("button", name="Start the race").press("Enter")

    # It waits, and says so; then everything happens by itself, and nothing on the page moves.
    page.get_by_text("Waiting for two free browsers").wait_for()
    race = race_now(uuid.UUID(page.url.rsplit("/", 1)[1]), halt_after=3)
    page.get_by_text("Racing now").wait_for()
    page.locator(".live .step").nth(0).wait_for()
    for lane in ("#lane-a", "#lane-b"):
        frame = page.locator(f"{lane} .picture img").last
        frame.wait_for()
        assert frame.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280
    race.finish()
    to_replay = page.get_by_role("link", name="Watch the replay and judge")
    to_replay.wait_for()
    assert to_replay.evaluate("link => link.getBoundingClientRect().bottom <= innerHeight")
    assert page.evaluate("window.shifts") == []
    to_replay.press("Enter")

    # The replay moves with the arrows and shows what was done.
    page.locator(".replay .step[aria-current]").nth(0).wait_for()
    slider = page.get_by_label("Time line of both lanes")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert slider.input_value() == "2"
    assert "Step" in slider.get_attribute("aria-valuetext")
    page.keyboard.press("Home")
    assert slider.input_value() == "0"

    names = list(Agent.objects.values_list("name", flat=True))
    assert not [name for name in names if name in page.content()]
    keys = Keys(page)
    keys.press("1", "Space", "Tab", "ArrowDown", "ArrowDown", "Enter")
    saved(page)
    vote = Vote.objects.get()
    assert {done.lane.slot: done.verdict for done in vote.completions.all()} == {"A": "done", "B": "not_done"}
    assert (vote.winner.slot, vote.locked_at) == ("A", None)
    assert vote.focus_ms > 0
    assert vote.steps_opened >= 2
    keys.press("Enter")
    page.get_by_role("heading", name="Who raced").wait_for()
    assert keys.pressed <= MOST_KEYS
    raced = {vote.battle.agent_a.name, vote.battle.agent_b.name}
    assert all(name in page.content() for name in raced)

    assert refit(board=Board.DEMO, actor="system:test").outcome == "published"
    page.get_by_role("navigation", name="Site").get_by_role("link", name="Standings").press("Enter")
    page.wait_for_url("**/standings")
    assert raced == set(page.locator(".standings tbody th a[href^='/standings/']").all_inner_texts())


def test_nothing_moves_on_a_phone_from_the_queue_to_the_end(open_page, site):
    battle = make_battle(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.all()[:2]))
    page = open_page(f"/battles/{battle.pk}", width=360)
    page.get_by_text("Waiting for two free browsers").wait_for()
    ticket = start_attempt(battle_id=battle.pk, worker="test:1")
    page.get_by_text("Racing now").wait_for()
    recorder = Recorder(attempt_id=ticket.attempt_id, token=ticket.token)
    for number in range(8):
        for slot in "AB":
            recorder.write(step(slot, number) if number else started(slot))
    page.locator("#lane-a .step").nth(6).wait_for()
    for slot in "AB":
        recorder.write(ended(slot, answer="It is open until one, and closed on the days before holidays."))
    finish_battle(attempt_id=ticket.attempt_id, token=ticket.token)
    page.get_by_role("link", name="Watch the replay and judge").wait_for()
    assert page.evaluate("window.shifts") == []


def test_a_newcomer_judges_a_practice_battle_with_a_keyboard(open_page, site):
    battle = practice_battle()
    page = open_page(f"/battles/{battle.pk}")
    keys = Keys(page)
    # Enter stops at what is missing: the consent box.
    keys.press("b", "Space", "Tab", "Space", "Enter")
    assert page.evaluate("document.activeElement.name") == "consent"
    keys.press("Space", "Enter")
    saved(page)
    keys.press("Enter")
    page.get_by_role("heading", name="Who raced").wait_for()
    assert keys.pressed <= MOST_KEYS
    assert Vote.objects.get().winner.slot == "B"


def test_the_same_on_a_phone_with_a_finger(open_page, site):
    page = open_page("/", width=360, has_touch=True)
    battle = practice_battle()
    page.reload()
    page.get_by_role("link", name="Watch the replay and judge").tap()
    page.wait_for_url(f"**/{battle.pk}")
    assert not page.locator("#lane-b").get_by_role("heading").is_visible()
    page.locator(".lane-tabs label", has_text="Lane B").tap()
    assert page.locator("#lane-b .frame").is_visible()
    page.locator(".pick", has_text="Both bad").tap()
    bar = page.locator("#vote-bar")
    for lane in (0, 1):
        bar.locator(".segment-lane").nth(lane).get_by_text("Can’t tell").tap()
    bar.locator("[name=consent]").check()
    page.get_by_role("button", name="Save my vote").tap()
    saved(page)
    assert bar.evaluate("bar => bar.getBoundingClientRect().height") <= 0.25 * 740
    page.get_by_text("Change it").tap()
    page.locator(".pick", has_text="Tie").tap()
    page.get_by_role("button", name="Lock and see who raced").tap()
    page.get_by_role("heading", name="Who raced").wait_for()
    assert Vote.objects.get().choice == "tie"
    assert page.get_by_text("You said: tie.").is_visible()


def test_without_scripts_a_vote_can_be_cast_and_locked(open_page, site):
    battle = practice_battle()
    page = open_page(f"/battles/{battle.pk}", java_script_enabled=False)
    lanes = page.locator(".segment-lane")
    page.locator(".pick").nth(0).click()
    lanes.nth(0).get_by_text("Done", exact=True).click()
    lanes.nth(1).get_by_text("Partly").click()
    page.locator(".vote-form [name=consent]").check()
    page.get_by_role("button", name="Save my vote").click()
    page.get_by_text("Saved: A is better.").wait_for()
    page.get_by_role("button", name="Lock and see who raced").click()
    page.get_by_role("heading", name="Who raced").wait_for()
    assert Vote.objects.get().locked_at is not None


def test_a_waiting_page_without_scripts_looks_again_by_itself(open_page, site):
    battle = make_battle(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.all()[:2]))
    page = open_page(f"/battles/{battle.pk}", java_script_enabled=False)
    page.get_by_text("Waiting for two free browsers").wait_for()
    race(battle)
    page.get_by_role("button", name="Save my vote").wait_for(state="attached")


def test_the_back_button_shows_what_the_server_knows(open_page, site):
    battle = practice_battle()
    page = open_page(f"/battles/{battle.pk}")
    page.keyboard.press("1")
    page.locator(".segment-lane").nth(0).get_by_text("Done", exact=True).click()
    page.locator(".segment-lane").nth(1).get_by_text("Done", exact=True).click()
    page.locator(".vote-form [name=consent]").check()
    page.get_by_role("button", name="Save my vote").click()
    saved(page)
    page.get_by_role("button", name="Lock and see who raced").click()
    page.get_by_role("heading", name="Who raced").wait_for()
    page.get_by_role("link", name="Judge another battle").click()
    page.get_by_text("Nothing waits for you").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Who raced").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Who raced").wait_for()
    assert page.locator(".vote-form").count() == 0


def test_a_refusal_in_the_bar_keeps_what_was_picked(open_page, site):
    battle = practice_battle()
    page = open_page(f"/battles/{battle.pk}")
    page.locator(".pick").nth(1).click()
    lanes = page.locator(".segment-lane")
    lanes.nth(0).get_by_text("Partly").click()
    lanes.nth(1).get_by_text("Done", exact=True).click()
    page.locator(".vote-form [name=consent]").evaluate("box => { box.required = false; }")
    page.get_by_role("button", name="Save my vote").click()
    alert = page.locator("#vote-bar").get_by_role("alert").filter(has_text="Your vote was not stored")
    alert.wait_for()
    assert "consent sentence" in alert.inner_text()
    assert page.evaluate("document.activeElement.name") == "consent"
    assert page.locator(".pick input:checked").count() == 1
    assert page.locator(".pick").nth(1).locator("input").is_checked()
    assert page.locator(".segment-lane input:checked").count() == 2
    assert Vote.objects.count() == 0
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    saved(page)
    assert Vote.objects.get().winner.slot == "B"


def test_a_battle_that_closed_meanwhile_says_so_in_the_bar(open_page, site):
    battle = practice_battle()
    page = open_page(f"/battles/{battle.pk}", judge=make_judge())
    page.locator(".pick").nth(0).click()
    for lane in (0, 1):
        page.locator(".segment-lane").nth(lane).get_by_text("Done", exact=True).click()
    set_on(Battle.objects.filter(pk=battle.pk), state="closed", closed_at=battle.votable_at)
    page.get_by_role("button", name="Save my vote").click()
    page.get_by_text("This battle has its judges and is closed.").wait_for()
    assert "Your vote was not counted" in page.locator("#vote-bar").inner_text()
    page.get_by_role("link", name="See who raced").click()
    page.get_by_role("heading", name="Who raced").wait_for()
