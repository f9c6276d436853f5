"""The benchmark page: chapters, a line a measure, agents side by side, refusals in words, neutral measures as such."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metrics.benchmark_page import Line, benchmark_view
from metrics.catalog import CATALOG
from metrics.documents import definition, definitions
from metrics.drawn import axis_of, place_on
from metrics.measure import Direction, Scope, Section, Unit
from metrics.publishing import publish_measures
from metrics.reading import Why
from ratings.models import Board
from tests.metrics.rows import baselines, ran, step, vote

NUMBERS = st.floats(0, 1e6, allow_nan=False)
UNKNOWN = {"value": None, "lower": None, "upper": None, "underpowered": None}


def document(**values):
    """A public document in which these measures have values by agent; all others have none."""
    measures = []
    for measure in CATALOG:
        found = values.get(measure.key, {None: {**UNKNOWN, "reason": "no_data"}})
        measures.append({**definition(measure), "values": [{"agent": agent, **each} for agent, each in found.items()]})
    return {"publication": None, "measures": measures}


def known(value, lower=None, upper=None, reason=None):
    return {"value": value, "lower": lower, "upper": upper, "reason": reason, "underpowered": None}


def line(view, key) -> Line:
    lines = [each for chapter in view.chapters for each in (*chapter.of_agents, *chapter.of_the_arena)]
    return next(each for each in lines if each.definition["key"] == key)


@pytest.mark.django_db
def test_every_measure_has_a_line_in_its_chapter():
    view = benchmark_view({"publication": None, "measures": definitions()}, published_at=None)
    assert [chapter.title for chapter in view.chapters] == [section.value for section in Section]
    lines = [each for chapter in view.chapters for each in (*chapter.of_agents, *chapter.of_the_arena)]
    assert len(lines) == len(CATALOG)


@pytest.mark.django_db
def test_agents_stand_in_the_order_of_their_names_whatever_their_values():
    view = benchmark_view(document(win_share={"zed": known(0.9), "amy": known(0.1)}), published_at=None)
    assert view.agents == ("amy", "zed")
    assert [dot.text for dot in line(view, "win_share").dots] == ["10%", "90%"]


@pytest.mark.django_db
def test_all_agents_share_one_axis_and_a_larger_value_is_higher_up():
    found = {"amy": known(0.2, 0.1, 0.4), "zed": known(0.6, 0.5, 0.7)}
    low, high = line(benchmark_view(document(win_share=found), published_at=None), "win_share").dots
    assert high.place < low.place
    assert high.top < high.place < high.bottom
    assert low.words == "amy: 20%, 95% interval 10 to 40%"


@pytest.mark.django_db
def test_a_refusal_is_said_in_words_and_with_names_only_where_it_is_not_everybodys():
    short = {**UNKNOWN, "reason": "below_floor"}
    some = line(benchmark_view(document(win_share={"amy": short, "zed": known(0.5)}), published_at=None), "win_share")
    assert some.refusals == ("Too few to publish: amy.",)
    assert [dot.place is None for dot in some.dots] == [True, False]
    every = line(benchmark_view(document(win_share={"amy": short, "zed": short}), published_at=None), "win_share")
    assert (every.refusals, every.dots) == (("Too few to publish.",), ())


@pytest.mark.django_db
def test_every_reason_has_words():
    for why in Why:
        found = document(win_share={"amy": {**UNKNOWN, "reason": why.value}})
        assert line(benchmark_view(found, published_at=None), "win_share").refusals[0].endswith(".")


@pytest.mark.django_db
def test_only_a_measure_with_a_direction_says_which_way_is_good():
    view = benchmark_view(document(), published_at=None)
    for measure in CATALOG:
        shown = line(view, measure.key)
        assert ("better" in shown.under) == (measure.direction != Direction.NEUTRAL)


@given(st.lists(NUMBERS, min_size=1, max_size=9), st.sampled_from(Unit))
@example([56007.0, 116068.0], Unit.POINTS)
def test_an_axis_holds_what_is_drawn_on_it(values, unit):
    if unit in {Unit.SHARE, Unit.INDEX, Unit.RATIO, Unit.VOTE_SHARE}:
        values = [value / 1e6 for value in values]
    axis = axis_of(unit, values)
    assert all(-1e-6 <= place_on(value, axis) <= 100 + 1e-6 for value in [*values, *axis[2]])
    assert 2 <= len(axis[2]) <= 8


@pytest.mark.django_db
def test_the_page_says_what_every_number_counts_and_has_no_counts(client):
    pair = baselines()
    for number in range(40):
        vote(ran(pair, [step()] * 3), "AB"[number % 2])
    publish_measures(board=Board.DEMO, actor="system:test")
    html = client.get("/benchmark").content.decode()
    for measure in CATALOG:
        assert f'id="{measure.key}"' in html
    assert html.count("<details>") == len(CATALOG)
    assert "Ada: 50%, 95% interval" in html
    assert "Too few to publish" in html or "No data yet" in html
    assert not re.search(r"\b40 (rated )?(votes|battles|lanes)", html)
    assert not re.search(r"<[^>]+\sstyle=", html)


@pytest.mark.django_db
def test_before_the_first_publication_the_page_says_so_and_still_defines(client):
    html = client.get("/benchmark").content.decode()
    assert "Nothing has been published yet" in html
    assert html.count("<details>") == len(CATALOG)


def test_measures_of_agents_and_of_the_arena_are_told_apart():
    assert {measure.scope for measure in CATALOG if measure.section == Section.ACTIONS} == {Scope.AGENT}
    assert {measure.scope for measure in CATALOG if measure.section == Section.JUDGING} == {Scope.ARENA}
