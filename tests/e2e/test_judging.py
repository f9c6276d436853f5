"""Judging in a real browser: by keyboard alone, with a finger on a phone, and when something came in between."""

import pytest

from battles.models import Agent, Battle
from judging.models import Annotation, Assignment, Click, StepVerdict, TrustChange, Vote
from judging.votes import Ballot, cast_vote
from tests.battles.factories import (
    ended,
    lane_of,
    make_battle,
    make_votable,
    minutes_ago,
    race,
    set_on,
    started,
    step,
)
from tests.e2e.axe import defects, defects_in_every_look
from tests.e2e.test_whole_life import MOST_KEYS, Keys, saved
from tests.judging.handing import hand_to, make_signed_in, offer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: A finger takes its time between two places.
FINGER_MS = 40
#: A tap right after a quick drag only stops what the browser takes for a fling.
SETTLED_MS = 400


@pytest.fixture(autouse=True)
def nothing_comes_back(monkeypatch):
    """By chance, one battle in twenty comes back to its judge and keeps its names until then."""
    monkeypatch.setattr("judging.pool.FLIP_SHARE", 0.0)


@pytest.fixture
def agents(site):
    return tuple(Agent.objects.filter(kind="baseline").order_by("key")[:2])


def recorded(agents, *, steps=4):
    """A battle of somebody else's with so many steps a lane, the second without a visible change."""
    events = []
    for slot in "AB":
        taken = [step(slot, number, page_after="a" * 16 if number == 2 else "b" * 16) for number in range(1, steps + 1)]
        events += [started(slot), *taken, ended(slot, answer="It opens at 10:00.")]
    return offer(race(make_battle(agents=agents), events=events))


@pytest.fixture
def judge(site):
    return make_signed_in(practised=3)


@pytest.fixture
def battle(agents, judge):
    return recorded(agents)


def test_a_battle_is_judged_from_the_pool_by_keyboard_alone(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    assert page.url.endswith(f"/battles/{battle.pk}")
    keys = Keys(page)
    keys.press("ArrowRight", ".", "b", "Space", "Tab", "ArrowRight", "ArrowRight", "Enter")
    saved(page)
    keys.press("Enter")
    page.get_by_role("heading", name="Who raced").wait_for()
    assert keys.pressed == 9 <= MOST_KEYS
    vote = Vote.objects.get(battle=battle)
    assert vote.winner == lane_of(battle, "B")
    assert vote.completions.count() == 2
    assert vote.locked_at is not None
    assert vote.focus_ms > 0
    # The first position of both lanes, and those the arrow and the full stop went to.
    assert vote.steps_opened >= 3


def test_steps_are_marked_with_one_key_each(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    page.keyboard.press("k")
    for key in ("h", "ArrowDown", "u", "ArrowDown", "w", "ArrowDown", "s"):
        page.keyboard.press(key)
        page.wait_for_timeout(150)
    page.locator("#lane-b .verdict-said", has_text="Step 4: unsafe.").wait_for()
    said = StepVerdict.objects.filter(step__lane=lane_of(battle, "B")).order_by("step__number")
    assert [verdict.verdict for verdict in said] == ["helpful", "unnecessary", "wrong", "unsafe"]
    page.reload()
    marks = page.locator("#lane-b [data-said]").all_inner_texts()
    assert marks[:4] == ["helpful", "unnecessary", "wrong", "unsafe"]
    assert page.locator("#lane-b .step-verdict [aria-pressed=true]").inner_text() == "helpful"
    assert page.locator("#lane-a [data-said]:not(:empty)").count() == 0


def test_steps_are_marked_without_scripts(open_page, judge, battle):
    page = open_page("/judge", judge=judge, java_script_enabled=False)
    form = page.locator("#lane-a .step-verdict")
    form.get_by_role("combobox").select_option("3")
    form.get_by_role("button", name="wrong").click()
    assert page.locator("#lane-a [data-said]").nth(2).inner_text() == "wrong"


def test_a_box_is_drawn_moved_sized_and_kept_by_keyboard(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("m")
    page.locator("#lane-a .surface").wait_for()
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "Shift+ArrowRight", "Shift+ArrowDown", "3", "Enter"):
        page.keyboard.press(key)
    page.locator("#lane-a [data-mark]").wait_for()
    mark = Annotation.objects.get()
    drawn = [mark.x, mark.y, mark.width, mark.height]
    assert drawn == pytest.approx([0.40, 0.41, 0.18, 0.12])
    assert (mark.tag, mark.frame.lane) == ("private_data", lane_of(battle, "A"))
    assert page.locator("#lane-a .own .mark").count() == 1
    assert page.locator("#lane-b .own .mark").count() == 0
    # Back at the start another frame shows, which nobody has drawn on.
    page.keyboard.press("Home")
    assert page.locator("#lane-a .own .mark").count() == 0
    page.get_by_role("button", name="Delete").press("Enter")
    page.locator("#lane-a [data-mark]").wait_for(state="detached")
    mark.refresh_from_db()
    assert mark.tag is None


def test_a_box_is_dragged_with_the_mouse_and_escape_leaves(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    page.locator("#lane-b [data-draw]").click()
    page.keyboard.press("Escape")
    assert page.locator(".surface").count() == 0
    assert page.evaluate("document.activeElement.hasAttribute('data-draw')")
    page.keyboard.press("Enter")
    area = page.locator("#lane-b .surface").bounding_box()
    page.mouse.move(area["x"] + area["width"] * 0.8, area["y"] + area["height"] * 0.6)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.4, area["y"] + area["height"] * 0.2, steps=3)
    page.mouse.up()
    page.locator("#lane-b").get_by_placeholder("Note, if any").fill("Not <b>there</b>.")
    page.keyboard.press("Enter")
    page.locator("#lane-b [data-mark]", has_text="Not <b>there</b>.").wait_for()
    mark = Annotation.objects.get()
    assert [mark.x, mark.y, mark.width, mark.height] == pytest.approx([0.4, 0.2, 0.4, 0.4], abs=0.01)


def test_the_next_click_is_asked_for_without_showing_the_agents_own(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    page.locator("#lane-a [data-ask]").click()
    assert not page.locator("#lane-a .overlay").first.is_visible()
    area = page.locator("#lane-a .surface").bounding_box()
    page.mouse.click(area["x"] + area["width"] / 4, area["y"] + area["height"] / 2)
    page.locator("#lane-a .surface").wait_for(state="detached")
    click = Click.objects.get()
    assert (click.x, click.y) == (pytest.approx(0.25, abs=0.01), pytest.approx(0.5, abs=0.01))
    assert not page.locator("#lane-a [data-ask]").is_visible()
    assert page.locator("#lane-b [data-ask]").is_visible()


def drag_finger(page, start, end):
    """A finger put down, moved in a few stages and lifted, as the screen reports it."""
    screen = page.context.new_cdp_session(page)
    stages = [[one + (other - one) * part / 4 for one, other in zip(start, end, strict=True)] for part in range(5)]
    for number, (x, y) in enumerate(stages):
        kind = "touchMove" if number else "touchStart"
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        page.wait_for_timeout(FINGER_MS)
    screen.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    screen.detach()
    page.wait_for_timeout(SETTLED_MS)


def test_on_a_phone_a_battle_is_judged_and_marked_with_a_finger(open_page, judge, battle):
    page = open_page("/judge", judge=judge, width=360, has_touch=True)
    assert not page.locator("#lane-b .frame").is_visible()
    page.mouse.wheel(0, 600)
    page.wait_for_timeout(200)
    tabs = page.locator(".lane-tabs").bounding_box()
    assert -1 <= tabs["y"] <= 1
    page.locator(".lane-tabs label", has_text="Lane B").tap()
    page.locator("#lane-b [data-draw]").tap()
    assert not page.locator("#vote-bar").is_visible()
    area = page.locator("#lane-b .surface").bounding_box()
    corners = [(area["x"] + area["width"] * share, area["y"] + area["height"] * share) for share in (0.25, 0.75)]
    drag_finger(page, *corners)
    page.locator("#lane-b").get_by_role("button", name="Keep").tap()
    page.locator("#lane-b [data-mark]").wait_for()
    mark = Annotation.objects.get()
    assert mark.frame.lane == lane_of(battle, "B")
    assert [mark.x, mark.y, mark.width, mark.height] == pytest.approx([0.25, 0.25, 0.5, 0.5], abs=0.01)
    page.locator(".pick", has_text="B").first.tap()
    for lane in (0, 1):
        page.locator(".segment-lane").nth(lane).get_by_text("Done", exact=True).tap()
    page.get_by_role("button", name="Save my vote").tap()
    saved(page)
    page.get_by_role("button", name="Lock and see who raced").tap()
    page.get_by_role("heading", name="Who raced").wait_for()
    assert Vote.objects.get(battle=battle).locked_at is not None


def test_on_a_phone_a_swipe_goes_to_the_other_lane(open_page, judge, battle):
    page = open_page("/judge", judge=judge, width=360, has_touch=True)
    assert swiped(page, "#lane-a", -120) == "B"
    assert swiped(page, "#lane-b", 20) == "B"
    assert swiped(page, "#lane-b", 120) == "A"


def swiped(page, lane, by):
    """The lane that shows after a finger went across the frame of this one by so many pixels."""
    area = page.locator(f"{lane} .frame").bounding_box()
    middle = (area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    drag_finger(page, middle, (middle[0] + by, middle[1]))
    page.wait_for_timeout(100)
    return "A" if page.locator("#lane-a .frame").is_visible() else "B"


def test_changes_are_jumped_to_and_how_one_likes_it_is_remembered(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    slider = page.get_by_label("Time line of both lanes")
    page.get_by_role("button", name="Next change").click()
    page.get_by_role("button", name="Next change").click()
    # The second step changed nothing.
    assert slider.input_value() == "3"
    page.keyboard.press(",")
    assert slider.input_value() == "1"
    page.get_by_label("Speed").select_option("0.5")
    page.get_by_label("One time line").uncheck()
    page.reload()
    assert page.get_by_label("Speed").input_value() == "0.5"
    assert page.get_by_label("Time line of lane A").is_visible()
    page.get_by_label("Time line of lane A").press("ArrowRight")
    assert page.get_by_label("Time line of lane A").input_value() == "1"
    assert page.get_by_label("Time line of lane B").input_value() == "0"


def test_the_lease_that_ran_out_meanwhile_loses_nothing(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    page.keyboard.press("1")
    for lane in (0, 1):
        page.locator(".segment-lane").nth(lane).get_by_text("Done", exact=True).click()
    Assignment.objects.filter(battle=battle).update(leased_at=minutes_ago(40), leased_until=minutes_ago(10))
    hand_to(battle, make_signed_in())
    page.get_by_role("button", name="Save my vote").click()
    bar = page.locator("#vote-bar")
    bar.get_by_text("another judge has it now").first.wait_for()
    assert "Nothing else was lost" in bar.inner_text()
    assert bar.get_by_role("link", name="Judge another battle").is_visible()


def test_a_second_tab_shows_what_the_first_one_saved(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    other = page.context.new_page()
    other.goto(page.url)
    for tab, pick in ((page, "1"), (other, "2")):
        tab.bring_to_front()
        tab.keyboard.press(pick)
        for lane in (0, 1):
            tab.locator(".segment-lane").nth(lane).get_by_text("Done", exact=True).click()
        tab.get_by_role("button", name="Save my vote").click()
        saved(tab)
    vote = Vote.objects.get(battle=battle)
    assert (vote.winner.slot, vote.revisions.count()) == ("B", 1)
    page.reload()
    assert page.get_by_text("Saved: B is better.").is_visible()


def test_after_the_lock_the_next_battle_is_fetched_ahead(open_page, judge, battle, agents):
    following = recorded(agents)
    page = open_page("/judge", judge=judge)
    cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    set_on(Vote.objects.filter(battle=battle), cast_at=minutes_ago(11))
    with page.expect_response(lambda answer: f"/battles/{following.pk}/frames/" in answer.url) as ahead:
        page.reload()
    assert ahead.value.ok
    page.get_by_role("link", name="Judge another battle").click()
    assert page.url.endswith(f"/battles/{following.pk}")


def test_the_first_frames_are_asked_for_before_the_page_is_read(open_page, judge, battle):
    """How fast that is belongs to a bench; that nothing has to be parsed first is a fact."""
    hand_to(battle, judge)
    page = open_page("/status", judge=judge)
    answer = page.goto(f"/battles/{battle.pk}")
    announced = [part.split(">")[0].lstrip(" <") for part in answer.headers["link"].split(",")]
    shown = [page.locator(f"#lane-{lane} .picture img").first.get_attribute("src") for lane in "ab"]
    assert set(shown) <= set(announced)


def test_axe_is_content_while_drawing_and_with_everything_open(open_page, judge, battle):
    page = open_page("/judge", judge=judge)
    found = []
    page.keyboard.press("m")
    page.locator("#lane-a .surface").wait_for()
    found += defects(page)
    page.keyboard.press("Enter")
    page.locator("#lane-a [data-mark]").wait_for()
    found += defects(page)
    for name in ("Not this one", "How to judge", "Clock and steps"):
        page.get_by_role("button", name=name).click()
        found += defects(page)
        page.keyboard.press("Escape")
    page.goto("/judge/thanks/reported")
    found += defects_in_every_look(page)
    assert found == []


def test_every_control_is_large_enough_for_a_finger(open_page, judge, battle):
    page = open_page("/judge", judge=judge, width=360, has_touch=True)
    small = page.evaluate(
        """() => [...document.querySelectorAll('main :is(button, select, summary, .pick, .segment label)')]
          .filter((control) => control.checkVisibility() && !control.matches('.thumb'))
          .map((control) => [control.outerHTML.slice(0, 80), control.getBoundingClientRect()])
          .filter(([, area]) => area.height < 23.5 || area.width < 23.5)
          .map(([html, area]) => `${html} ${area.width}x${area.height}`)"""
    )
    assert small == []


def test_a_practice_battle_leads_to_the_next_one(open_page, site, agents):
    for _ in range(2):
        make_votable(kind=Battle.Kind.PRACTICE, agents=agents)
    page = open_page("/judge")
    assert page.get_by_text("Practice 1 of 3").is_visible()
    page.keyboard.press("t")
    for lane in (0, 1):
        page.locator(".segment-lane").nth(lane).get_by_text("Done", exact=True).click()
    page.locator(".vote-form [name=consent]").check()
    page.get_by_role("button", name="Save my vote").click()
    saved(page)
    page.get_by_role("button", name="Lock and see who raced").click()
    page.get_by_role("link", name="Judge another battle").click()
    assert page.get_by_text("Practice 2 of 3").is_visible()


#: The narrowest phone, and a laptop whose reader takes everything at twice the size.
NARROW = {"phone": (320, 640), "twice the size": (640, 400)}


def fits(page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"], page.url
    assert defects(page) == []


@pytest.mark.parametrize("window", NARROW)
def test_a_practice_battle_with_its_lesson_fits_a_narrow_window_by_keyboard_alone(open_page, agents, window):
    events = [event for slot in "AB" for event in (started(slot), step(slot), ended(slot, passed=slot == "A"))]
    battle = race(make_battle(kind=Battle.Kind.PRACTICE, agents=agents), events=events)
    width, height = NARROW[window]
    page = open_page(f"/battles/{battle.pk}", width=320, judge=make_signed_in())
    page.set_viewport_size({"width": width, "height": height})
    fits(page)
    keys = Keys(page)
    keys.press("b", "Space", "Tab", "Space", "Enter")
    saved(page)
    fits(page)
    keys.press("Enter")
    page.get_by_role("heading", name="What the check found").wait_for()
    assert page.get_by_text("Look again at how A ends").is_visible()
    fits(page)


@pytest.mark.parametrize("window", NARROW)
def test_what_a_judge_reads_fits_a_narrow_window(open_page, judge, agents, window):
    unbroken = "Donaudampfschifffahrt" * 12
    battle = recorded(agents)
    TrustChange.objects.create(judge=judge, before="new", state="suspended", actor="op", reason=unbroken)
    width, height = NARROW[window]
    page = open_page("/judge", width=320, judge=judge)
    page.set_viewport_size({"width": width, "height": height})
    fits(page)
    page.goto("/judge/me")
    fits(page)
    TrustChange.objects.create(judge=judge, before="suspended", state="new", actor="op", reason="A person.")
    page.goto("/judge")
    assert page.url.endswith(f"/battles/{battle.pk}")
    fits(page)
    page.get_by_role("button", name="Not this one").click()
    fits(page)
    page.get_by_role("button", name="Report and hide it").click()
    page.get_by_role("heading", name="Reported").wait_for()
    fits(page)
