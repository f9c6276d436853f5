"""The pages about methods: their numbers are the library's, without scripts too, and bad questions get a clear no."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser
from urllib.parse import urlencode

import numpy as np
import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from ratings.definitions import DEFINITIONS
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, tabulate
from ratings.estimators.covariance import model_covariance
from ratings.estimators.elo import elo_permuted, run_elo
from ratings.inference.gaps import gap_of_intervals
from ratings.inference.intervals import t_quantile
from ratings.inference.planning import expected_maximum, selection_inflation, votes_for_halfwidth, votes_to_detect
from ratings.method_pages import shown
from ratings.methods.answers import BEST_OF, ELO, OVERLAP, PAGES, PLANNER, SCHEDULE, SETTLED_EXAMPLE
from ratings.methods.facts import facts
from ratings.methods.figures import (
    HIGHEST_SEED,
    TRUE_RATINGS,
    VOTES_STREAM,
    best_of,
    centred_correlation,
    cycle,
    equal_shares,
    replay_elo,
    simulated_votes,
    two_ratings,
)
from ratings.methods.inputs import Number, read
from ratings.methods.plan import ROUND_ROBIN, ROUND_ROBIN_FACTOR, plan
from ratings.methods.table import COLUMNS, methods_table
from tests.ratings.boards import ballots, gap_error, head_to_head, judged_apart

ADDRESSES = {
    ELO.name: "/methods/elo",
    PLANNER.name: "/methods/planner",
    BEST_OF.name: "/methods/best-of",
    SCHEDULE.name: "/methods/schedule",
    OVERLAP.name: "/methods/overlap",
}


@pytest.fixture(autouse=True)
def plain_static_files(settings):
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


class Shown(HTMLParser):
    """Every number of a page by its name: its value in full and what people read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.numbers: dict[str, tuple[float, str]] = {}
        self._open: tuple[str, float] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "data":
            values = dict(attrs)
            self._open = (values["data-out"] or "", float(values["value"] or "nan"))

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            name, value = self._open
            self.numbers[name], self._open = (value, data), None


def page(path: str, status: int = 200, **query: object) -> str:
    answer = Client().get(path, query)
    assert answer.status_code == status, answer
    return answer.content.decode()


def numbers(path: str, **query: object) -> dict[str, tuple[float, str]]:
    return Shown(page(path, **query)).numbers


# ---- What the pages compute ---------------------------------------------------------------------------------------


def test_orders_of_the_same_votes_scatter_more_than_the_fit_is_unsure():
    for k, spread in ((32, 48), (8, 21)):
        replay = replay_elo(k, votes_seed=1, orders_seed=1)
        assert replay.spread.mean() == pytest.approx(spread, abs=2)
        assert np.all(replay.spread > (replay.upper - replay.lower) / 4)
    assert replay.finals.shape == (100, 4)


def test_a_replay_is_the_librarys_elo_and_fit_of_the_same_votes():
    votes = simulated_votes(7)
    replay = replay_elo(16, votes_seed=7, orders_seed=9)
    assert np.array_equal(replay.finals, elo_permuted(votes, 16, seed=9, orders=100).ratings)
    estimate = fit_bradley_terry(tabulate(votes))
    errors = np.sqrt(np.diag(model_covariance(estimate).points(equal_shares(4))))
    assert np.allclose(replay.upper - replay.fit, t_quantile(math.inf) * errors)
    assert abs(run_elo(votes, 16).mean() - 1000) < 1e-9


def test_the_words_of_the_votes_never_shuffle_them():
    # With one seed for both, the first order would put the votes in the order of their pairs.
    assert HIGHEST_SEED < VOTES_STREAM
    for seed in range(5):
        replay = replay_elo(32, votes_seed=seed, orders_seed=seed)
        assert np.all(np.abs(replay.finals[0] - replay.mean) < 5 * replay.spread)


@given(st.sampled_from(("gap", "half-width")), st.integers(1, 400), st.integers(0, 90))
def test_the_planner_asks_the_library(goal: str, points: int, ties: int):
    found, share = plan(goal, points, ties), ties / 100
    if goal == "gap":
        assert found.head_to_head == votes_to_detect(points, tie_share=share)
        assert found.pool == pytest.approx(votes_to_detect(points, tie_share=share, through_others=True), abs=1)
    else:
        assert found.head_to_head == votes_for_halfwidth(points, tie_share=share)
        assert found.pool == pytest.approx(votes_for_halfwidth(points / 2, tie_share=share), abs=1)
    assert found.newcomer == found.head_to_head
    assert found.round_robin == pytest.approx(ROUND_ROBIN_FACTOR * found.head_to_head, abs=ROUND_ROBIN_FACTOR)
    assert found.pool == pytest.approx(plan(goal, points, 0).pool / (1 - share), abs=5)


def test_a_round_robin_of_so_many_votes_has_that_halfwidth():
    found = plan("half-width", 20, 0)
    each = found.each_pair // 2
    rows = [
        (0, a, b, outcome)
        for a in range(ROUND_ROBIN)
        for b in range(a)
        for outcome in (A_WINS, B_WINS)
        for _ in range(each)
    ]
    estimate = fit_bradley_terry(tabulate(ballots(judged_apart(rows))))
    error = gap_error(model_covariance(estimate).points(equal_shares(ROUND_ROBIN)), 0, 1)
    assert t_quantile(math.inf) * error == pytest.approx(20, abs=0.1)


def test_a_newcomer_against_a_known_pool_costs_a_head_to_head():
    # Equals whose ratings are known for sure are as one, at whom the scale is held.
    votes = plan("half-width", 50, 0).newcomer
    rows = ballots(head_to_head(votes // 2, votes // 2))
    error = gap_error(model_covariance(fit_bradley_terry(tabulate(rows))).points(np.array([0.0, 1.0])), 0, 1)
    assert t_quantile(math.inf) * error == pytest.approx(50, abs=0.5)


def test_the_best_of_many_is_the_librarys_expectation():
    found = best_of(27, 15.0, seed=3)
    assert found.in_errors == pytest.approx(1.998, abs=5e-4)
    assert found.inflation == selection_inflation(27, 15.0)
    assert found.best == found.measured.max()
    assert [round(in_errors, 2) for _, in_errors, _ in found.usual] == [0, 0.56, 1.16, 1.54, 2, 2.51]
    averages = [best_of(27, 1.0, seed=seed).best for seed in range(400)]
    assert np.mean(averages) == pytest.approx(expected_maximum(27), abs=0.1)


def test_an_even_schedule_leaves_a_cycle_level_and_a_lopsided_one_does_not():
    assert np.allclose(cycle(1 / 3, 0.7).fitted, 1000)
    assert cycle(0.8, 0.7).gap == pytest.approx(119, abs=0.5)
    assert np.allclose(cycle(0.8, 0.7).adjusted, 1000)
    assert np.allclose(cycle(0.8, 0.5).fitted, 1000)
    assert cycle(0.1, 0.7).gap < 0


def test_uncorrelated_ratings_are_tested_as_published_ones():
    found = two_ratings(1820, (1803, 1837), 1800, (1784, 1817), 0.0)
    test = gap_of_intervals(1820, (1803, 1837), 1800, (1784, 1817))
    assert (found.statistic, found.p_value) == pytest.approx((test.statistic, test.p_value))
    assert found.statistic == pytest.approx(1.65, abs=0.005)
    assert found.p_value == pytest.approx(0.098, abs=5e-4)
    assert found.overlapping
    assert not found.settled
    assert two_ratings(1820, (1803, 1837), 1800, (1784, 1817), 0.5).settled
    assert not two_ratings(1825, (1808, 1842), 1797, (1781, 1813), -0.5).settled


@given(st.integers(0, 60), st.integers(1, 20), st.integers(1, 20), st.floats(-0.9, 0.9))
def test_intervals_that_are_apart_are_settled_whatever_the_correlation(
    gap: int, one: int, other: int, correlation: float
):
    found = two_ratings(
        1000 + gap, (1000 + gap - one, 1000 + gap + one), 1000, (1000 - other, 1000 + other), correlation
    )
    assert found.overlapping or found.settled


def test_the_mean_that_is_held_makes_errors_pull_apart():
    assert [centred_correlation(m) for m in (2, 3, 5)] == pytest.approx([-1, -1 / 2, -1 / 4])


def test_facts_are_the_numbers_that_must_come_out():
    found = facts()
    assert found.points_per_nat == pytest.approx(173.7178, abs=5e-5)
    assert (round(found.win_at_100), round(found.win_at_400)) == (64, 91)
    assert [round(sd, 1) for _, sd in found.resting] == [37.5, 53.3, 76.3]
    assert round(found.worth) == 21
    assert found.halved_gap / found.points_per_nat == pytest.approx(0.3463, abs=5e-5)
    assert 1 / (1 + found.too_wide / 100) == pytest.approx(0.831, abs=5e-4)
    assert (round(found.tie_percent, 2), round(found.win_percent, 2)) == (28.57, 35.71)
    assert round(found.at_once, 2) == 1.91
    assert (round(found.small_difference, 2), round(found.large_difference, 2)) == (-0.02, -0.33)
    assert round(found.cycle_gap) == 119
    assert (found.wide, found.detect_20, found.detect_100, found.items) == (4637, 2376, 103, 785)
    assert found.half == pytest.approx(4 * found.wide, abs=2)
    assert round(found.error_of_one, 1) == 347.4


# ---- What the pages show without scripts --------------------------------------------------------------------------


@pytest.mark.django_db
def test_methods_has_its_table_with_a_section_for_every_row():
    text = page("/methods")
    for column in COLUMNS:
        assert f">{column}</th>" in text
    for method in methods_table(facts()):
        assert f'<a href="#{method.key}">' in text
        assert text.count(f'id="{method.key}"') == 1
        assert all(cell in text.replace("&#x27;", "'") for cell in method.cells)


@pytest.mark.django_db
def test_definitions_of_all_that_pages_show_are_there():
    text = page("/methods")
    for key, definition in DEFINITIONS.items():
        assert f'id="{key}"' in text
        assert definition["name"] in text
    assert len(re.findall(r' id="([^"]+)"', text)) == len(set(re.findall(r' id="([^"]+)"', text)))


@pytest.mark.django_db
def test_every_page_to_try_is_one_click_away_and_leads_to_the_others():
    text = page("/methods")
    for address in ADDRESSES.values():
        assert f'href="{address}"' in text
        other = page(address)
        assert all(f'href="{one}"' in other for one in ADDRESSES.values())
        assert 'aria-live="polite"' in other
        assert "<title id=" in other
        assert "<desc id=" in other
    assert {one.name for one in PAGES} == set(ADDRESSES)


@pytest.mark.django_db
def test_every_page_answers_from_its_address():
    shuffled = numbers("/methods/elo", k=8, orders=5, votes=6)
    replay = replay_elo(8, votes_seed=6, orders_seed=5)
    assert shuffled["in-order"][0] == replay.in_true_order
    for model in range(len(TRUE_RATINGS)):
        assert shuffled[f"mean-{model}"][0] == replay.mean[model]
        assert shuffled[f"upper-{model}"][0] == replay.upper[model]
    planned = numbers("/methods/planner", goal="half-width", points=10)
    assert planned["head-to-head"] == (4637, "4,637")
    assert numbers("/methods/planner")["head-to-head"] == (2376, "2,376")
    best = numbers("/methods/best-of", k=27, error=10)
    assert (best["in-errors"][1], best["inflation"][1]) == ("2.00", "20.0")
    assert numbers("/methods/schedule")["gap"][1] == "119"
    level = numbers("/methods/schedule", share="33.3")
    assert {level[f"fitted-{name}"][1] for name in "abc"} == {"1,000"}
    test = numbers("/methods/overlap")
    assert (test["z"][1], test["p"][1]) == ("1.65", "0.098")


@pytest.mark.django_db
def test_words_follow_the_numbers():
    hidden = re.compile(r'data-when="([^"]+)"( hidden)?>')
    for query, settled in (("", False), (f"?{SETTLED_EXAMPLE}", True)):
        shown_words = {name: not is_hidden for name, is_hidden in hidden.findall(page(f"/methods/overlap{query}"))}
        assert shown_words == {
            "overlapping": True,
            "not overlapping": False,
            "settled": settled,
            "not settled": not settled,
            "tiny": False,
            "not tiny": True,
        }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "query", "words"),
    [
        ("/methods/planner", {"points": "0"}, "points must be a whole number from 1 to 400; 0 is outside."),
        ("/methods/planner", {"points": "ten"}, "points must be a whole number from 1 to 400, written like 20."),
        ("/methods/planner", {"goal": "gold"}, "goal must be one of: gap, half-width."),
        ("/methods/elo", {"k": "64"}, "k must be one of: 8, 16, 32."),
        ("/methods/elo", {"votes": "-1"}, "votes must be a whole number from 0 to 999999"),
        ("/methods/best-of", {"k": "1e9"}, "k must be a whole number from 1 to 100"),
        ("/methods/schedule", {"share": "100"}, "share must be a number from 5 to 90"),
        ("/methods/overlap", {"one": "1900"}, "A rating lies inside its interval"),
        ("/methods/overlap", {"one_lower": "nan"}, "one_lower must be a number"),
    ],
)
def test_what_cannot_be_read_is_said_and_kept(path, query, words):
    text = page(path, status=422, **query)
    assert words.lower() in text.lower()
    assert "usual values" in text
    for value in query.values():
        assert f'value="{value}"' in text or path == "/methods/elo" or "gold" in value


@given(st.text(max_size=12))
def test_a_number_is_read_or_refused_with_its_limits(text: str):
    reading = read([Number("points", "Points", 20, 1, 400)], {"points": text})
    assert 1 <= reading.values["points"] <= 400
    if text and not re.fullmatch("[1-9][0-9]{0,2}|0+[1-9][0-9]{0,2}", text):
        assert all("from 1 to 400" in message for _, message in reading.problems)
        assert reading.values["points"] == 20
        assert reading.problems


def test_what_is_zero_has_no_sign():
    assert ">0<" in shown("gap", -0.2, 0)
    assert ">-1.0<" in shown("gap", -1.0, 1)


# ---- The planner for programs --------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_programs_get_the_same_plan():
    answer = Client().get("/api/plan", {"goal": "gap", "points": "20", "ties": "30"})
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    found = answer.json()
    on_page = numbers("/methods/planner", goal="gap", points=20, ties=30)
    assert found["votes"]["head_to_head"] == on_page["head-to-head"][0] == votes_to_detect(20, tie_share=0.3)
    assert found["votes"]["through_others"] == on_page["pool"][0]
    assert found["votes"]["round_robin"]["total"] == on_page["round-robin"][0]
    assert found["votes"]["round_robin"]["each_pair"] == on_page["each-pair"][0]
    assert (found["goal"], found["points"], found["tie_share"], found["power"]) == ("gap", 20, 0.3, 0.8)
    width = Client().get("/api/plan", {"goal": "half-width", "points": "10"}).json()
    assert (width["votes"]["head_to_head"], width["confidence"]) == (4637, 0.95)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("points=20", "parameter_missing", "goal"),
        ("goal=gap", "parameter_missing", "points"),
        ("goal=gap&points=", "parameter_missing", "points"),
        ("goal=gap&points=20&points=30", "parameter_twice", "points"),
        ("goal=gap&points=20&tie=3", "unknown_parameter", None),
        ("goal=gap&points=-3", "parameter_refused", "points"),
        ("goal=gap&points=20&ties=100", "parameter_refused", "ties"),
        ("goal=gap&points=NaN", "parameter_refused", "points"),
        ("goal=guess&points=20", "parameter_refused", "goal"),
    ],
)
def test_programs_are_told_what_to_change(query, code, field):
    answer = Client().get(f"/api/plan?{query}")
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["code"], problem.get("field"), problem["status"]) == (code, field, 400)
    assert problem["title"]
    assert problem["detail"].endswith(".")


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
def test_programs_that_want_to_write_are_told_that_they_can_only_read(method):
    answer = getattr(Client(enforce_csrf_checks=True), method)("/api/plan?goal=gap&points=20")
    assert (answer.status_code, answer.json()["code"], answer.headers["Allow"]) == (405, "only_read", "GET, HEAD")
    assert answer.headers["Content-Type"] == "application/problem+json"


# ---- Addresses that nobody would write ------------------------------------------------------------------------------

HOSTILE_VALUES = st.one_of(
    st.sampled_from(["", "-0", "nan", "inf", "1e9", "٣", "\uff11", "1_0", " 1", "1\n", "9" * 5000, "\x00", "<script>"]),
    st.text(max_size=8),
    st.integers(-2, 5000).map(str),
    st.decimals(-1, 4000, places=6).map("{:f}".format),
)


@pytest.mark.django_db
@given(st.sampled_from(PAGES), st.data())
def test_any_address_is_answered_in_words_and_finite_numbers(page, data):
    names = [field.name for field in page.fields]
    query = data.draw(st.lists(st.tuples(st.sampled_from(names), HOSTILE_VALUES), max_size=8))
    answer = Client().get(f"{ADDRESSES[page.name]}?{urlencode(query)}")
    assert answer.status_code in {200, 422}
    text = answer.content.decode()
    assert "<script>" not in text
    assert re.search(r'data-digits="[0-9]+" value="(nan|-?inf)"', text) is None
