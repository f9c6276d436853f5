"""The pages to try in a real browser: what scripts compute is what the library computes, by mouse and by keyboard."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from ratings.inference.planning import expected_maximum
from ratings.methods.answers import SETTLED_EXAMPLE
from ratings.methods.figures import best_of, cycle, replay_elo, two_ratings
from ratings.methods.plan import plan
from tests.e2e.axe import defects_in_every_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PATHS = ("/methods", *(f"/methods/{name}" for name in ("elo", "planner", "best-of", "schedule", "overlap")))


def value(page: Page, name: str) -> float:
    return float(page.locator(f'data[data-out="{name}"]').first.get_attribute("value"))


def settle(page: Page) -> None:
    """Until what is read aloud is up to date too, which the address tells."""
    page.wait_for_function(
        """() => {
          const asked = new URLSearchParams(new FormData(document.querySelector('[data-play]'))).toString();
          return location.search === `?${asked}`;
        }"""
    )


def numbers_and_words(page: Page) -> list[tuple[str, float, str, bool]]:
    """Every number with its name, value and words, and every word that comes and goes."""
    found = page.locator("data[data-out], [data-when]").evaluate_all(
        """all => all.map((one) => [one.dataset.out ?? one.dataset.when, Number(one.value ?? 0),
          one.value ? one.textContent : '', one.hidden])"""
    )
    return [tuple(one) for one in found]


def marks(page: Page) -> list[float]:
    """Where everything lies that is drawn."""
    return page.locator('svg[role="img"] :is(line, circle, text):not([visibility="hidden"])').evaluate_all(
        """all => all.flatMap((mark) => ['x', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'stroke-width']
          .map((name) => parseFloat(mark.getAttribute(name) ?? -1)))"""
    )


@pytest.mark.parametrize(("k", "votes", "orders"), [(32, 1, 2), (16, 0, 999_999), (8, 77, 4)])
def test_elo_is_replayed_as_the_library_replays_it(open_page, k, votes, orders):
    page = open_page("/methods/elo?k=32&votes=5&orders=5")
    page.get_by_label("Seed of the votes").fill(str(votes))
    page.get_by_label("Seed of the orders").fill(str(orders))
    page.get_by_label(str(k), exact=True).check(force=True)
    settle(page)
    replay = replay_elo(k, votes_seed=votes, orders_seed=orders)
    for model in range(4):
        for name, expected in (
            ("mean", replay.mean),
            ("spread", replay.spread),
            ("lowest", replay.finals.min(axis=0)),
            ("highest", replay.finals.max(axis=0)),
            ("fit", replay.fit),
            ("lower", replay.lower),
            ("upper", replay.upper),
        ):
            assert value(page, f"{name}-{model}") == pytest.approx(expected[model], abs=1e-6), (name, model)
    assert value(page, "in-order") == replay.in_true_order


def test_the_planner_counts_as_the_library_counts(open_page):
    page = open_page("/methods/planner")
    for goal, label in (("gap", "To tell two agents apart"), ("half-width", "For an interval of a width")):
        page.get_by_label(label).check(force=True)
        for points, ties in ((1, 0), (20, 30), (57, 12), (100, 90), (400, 0)):
            page.get_by_label("Gap or half-width, in points").fill(str(points))
            page.get_by_label("Share of ties, in percent").fill(str(ties))
            settle(page)
            found = plan(goal, points, ties)
            shown = [value(page, name) for name in ("head-to-head", "newcomer", "pool", "round-robin", "each-pair")]
            assert shown == [found.head_to_head, found.newcomer, found.pool, found.round_robin, found.each_pair]
            assert value(page, "half") == plan(goal, points / 2, ties).head_to_head
            assert page.locator('[data-when="rough"]').is_visible() == found.too_few


def test_the_best_of_many_is_drawn_as_the_library_draws(open_page):
    page = open_page("/methods/best-of")
    for k, error, seed in ((1, 15, 1), (2, 7, 3), (27, 15, 12), (100, 40, 999_999)):
        page.get_by_label("Variants tried").fill(str(k))
        page.get_by_label("Standard error of each, in points").fill(str(error))
        page.get_by_label("Seed of the draw").fill(str(seed))
        settle(page)
        found = best_of(k, error, seed=seed)
        assert value(page, "in-errors") == pytest.approx(found.in_errors, abs=1e-9)
        assert value(page, "inflation") == pytest.approx(found.inflation, abs=1e-7)
        assert value(page, "best") == pytest.approx(found.best, abs=1e-7)
        assert value(page, "errors-100") == pytest.approx(expected_maximum(100), abs=1e-9)
        drawn = page.locator("circle[data-dot][visibility=visible]")
        places = [
            float(text.removesuffix("%")) for text in drawn.evaluate_all("all => all.map(d => d.getAttribute('cx'))")
        ]
        expected = np.clip((found.measured / error + 3.6) / 7.2, 0, 1) * 100
        assert places == pytest.approx(expected.tolist(), abs=1e-6)


def test_the_cycle_is_fitted_as_the_library_fits_it(open_page):
    page = open_page("/methods/schedule")
    for share, win in ((80, 70), (33.3, 70), (90, 90), (5, 90), (60, 50), (47.5, 83)):
        page.get_by_label("Battles between A and B").fill(str(share))
        page.get_by_label("Each beats the next in").fill(str(win))
        settle(page)
        found = cycle(share / 100, win / 100)
        for place, name in enumerate("abc"):
            assert value(page, f"fitted-{name}") == pytest.approx(found.fitted[place], abs=1e-6)
            assert value(page, f"adjusted-{name}") == pytest.approx(found.adjusted[place], abs=1e-6)
        assert value(page, "gap") == pytest.approx(found.gap, abs=1e-6)
        assert page.locator('[data-when="ordered"]').is_visible() == (abs(found.gap) >= 0.5)


def test_the_gap_is_tested_as_the_library_tests_it(open_page):
    page = open_page("/methods/overlap")
    boxes = page.get_by_role("spinbutton")
    for one, other, correlation in (
        ((1820, 1803, 1837), (1800, 1784, 1817), 0),
        ((1820, 1803, 1837), (1800, 1784, 1817), 0.55),
        ((1000, 990, 1010.5), (1200, 1150, 1250), -0.9),
        ((1000, 900, 1100), (1000, 950, 1050), 0.9),
    ):
        # In an order in which a rating is outside of its interval in between.
        for box, number in enumerate((*one, *other)):
            boxes.nth(box).fill(str(number))
        page.get_by_label("Correlation of the two errors").fill(str(correlation))
        settle(page)
        found = two_ratings(one[0], one[1:], other[0], other[1:], correlation)
        assert value(page, "error-one") == pytest.approx(found.errors[0], abs=1e-9)
        assert value(page, "error") == pytest.approx(found.error, abs=1e-9)
        assert value(page, "z") == pytest.approx(found.statistic, abs=1e-9)
        assert value(page, "p") == pytest.approx(found.p_value, rel=1e-9)
        assert (value(page, "lower"), value(page, "upper")) == pytest.approx((found.lower, found.upper), abs=1e-9)
        for name, holds in (("settled", found.settled), ("overlapping", found.overlapping)):
            assert page.locator(f'[data-when="{name}"]').is_visible() == holds
            assert page.locator(f'[data-when="not {name}"]').is_visible() != holds


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/methods/elo", "k=16&orders=3&votes=9"),
        ("/methods/planner", "goal=half-width&points=12&ties=25"),
        ("/methods/planner", "goal=gap&points=150&ties=0"),
        ("/methods/best-of", "k=40&error=9&seed=5"),
        ("/methods/schedule", "share=55.5&win=80"),
        ("/methods/overlap", f"{SETTLED_EXAMPLE}&correlation=-0.25"),
    ],
)
def test_the_script_changes_nothing_that_the_server_already_answered(open_page, path, query):
    page = open_page(f"{path}?{query}")
    words_by_server, marks_by_server = numbers_and_words(page), marks(page)
    page.locator("[data-play]").evaluate("form => { history.replaceState(null, '', '?'); form.requestSubmit(); }")
    settle(page)
    for (name, *by_script), (_, *by_server) in zip(numbers_and_words(page), words_by_server, strict=True):
        assert by_script == [pytest.approx(by_server[0], rel=1e-8, abs=1e-8), *by_server[1:]], name
    assert marks(page) == pytest.approx(marks_by_server, abs=0.01)


def test_without_scripts_the_form_is_sent_and_answered(chromium, site):
    context = chromium.new_context(java_script_enabled=False, base_url=site)
    page = context.new_page()
    page.goto("/methods/planner")
    page.get_by_label("Gap or half-width, in points").fill("100")
    page.get_by_role("button", name="Work it out").click()
    expect(page.locator('.play-said p:not([hidden]) [data-out="head-to-head"]')).to_have_text("103")
    assert page.locator("[data-next-seed]:visible").count() == 0
    context.close()


def test_the_keyboard_alone_plays(open_page):
    page = open_page("/methods/schedule")
    slider = page.get_by_label("Battles between A and B")
    slider.focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert value(page, "share") == pytest.approx(80.1)
    page.keyboard.press("Home")
    settle(page)
    assert value(page, "gap") == pytest.approx(cycle(0.05, 0.7).gap, abs=1e-6)
    page.goto("/methods/elo")
    page.get_by_label("32", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Shuffle again").press("Enter")
    settle(page)
    assert value(page, "in-order") == replay_elo(16, votes_seed=1, orders_seed=2).in_true_order
    page.reload()
    assert page.get_by_label("Seed of the orders").input_value() == "2"


def test_a_touch_plays(open_page):
    page = open_page("/methods/best-of", width=360, has_touch=True)
    page.get_by_role("button", name="Draw again").tap()
    settle(page)
    assert value(page, "best") == pytest.approx(best_of(27, 15, seed=2).best, abs=1e-7)


def test_what_cannot_be_answered_is_said_and_the_last_answer_stays(open_page):
    page = open_page("/methods/planner")
    before = value(page, "head-to-head")
    points = page.get_by_label("Gap or half-width, in points")
    points.fill("0")
    problem = page.locator("[data-problem]")
    expect(problem).to_contain_text("Gap or half-width, in points:")
    assert value(page, "head-to-head") == before
    points.fill("100")
    expect(problem).to_be_hidden()
    page.goto("/methods/overlap")
    page.get_by_role("spinbutton").first.fill("1900")
    expect(page.locator("[data-problem]")).to_contain_text("inside its interval")


def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page):
    page = open_page("/methods")
    found = []
    for path in PATHS:
        page.goto(path)
        found += [(path, *defect) for defect in defects_in_every_look(page)]
    assert found == []


def test_nothing_moves_by_itself_and_scripts_load_only_where_they_play(open_page):
    page = open_page("/methods", reduced_motion="reduce")
    assert page.locator('script[src*="ringside/methods/"]').count() == 0
    moving = """[...document.querySelectorAll('*')].filter((element) => {
      const style = getComputedStyle(element);
      return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
    }).length"""
    for path in PATHS[1:]:
        page.goto(path)
        assert page.locator('script[src*="ringside/methods/"][defer]').count() >= 2
        assert page.evaluate(moving) == 0
        assert page.evaluate("window.shifts.reduce((sum, value) => sum + value, 0)") < 0.01
