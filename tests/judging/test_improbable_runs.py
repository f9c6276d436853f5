"""Runs that are too long to be chance, and how often an honest judge shows one."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judging.improbable_runs import (
    CHOICE_SHARE,
    FALSE_ALARM,
    HASTE_PART,
    HASTE_SHARE,
    HIGHEST_SHARE,
    HORIZON,
    PANE_SHARE,
    Others,
    Reading,
    chance_of_run,
    improbable_runs,
    run_needed,
)

OTHERS = Others(median_seconds=60, hasty=0.01, tie=0.2, both_bad=0.1)
PANES = run_needed(PANE_SHARE, chance=FALSE_ALARM / 2)
CHOICES = run_needed(CHOICE_SHARE, chance=FALSE_ALARM / 2)
HASTE = run_needed(HASTE_SHARE)


def said(*choices, seconds=60.0):
    return [Reading(choice, seconds) for choice in choices]


def found(readings, others=OTHERS):
    return [(run.detector, len(run.places)) for run in improbable_runs(readings, others)]


@settings(deadline=None)
@given(st.integers(1, 5), st.integers(0, 12), st.floats(0, 1))
def test_the_chance_of_a_run_is_that_of_counting_every_sequence(length, votes, share):
    counted = 0.0
    for kinds in itertools.product((True, False), repeat=votes):
        longest = max((len(list(run)) for kind, run in itertools.groupby(kinds) if kind), default=0)
        if longest >= length:
            counted += share ** sum(kinds) * (1 - share) ** (votes - sum(kinds))
    assert chance_of_run(length, votes=votes, share=share) == pytest.approx(counted, abs=1e-12)


@given(st.integers(1, 40), st.integers(0, 200), st.floats(0, 1), st.floats(0, 1))
def test_longer_runs_are_rarer_and_more_votes_or_a_higher_share_make_them_likelier(length, votes, share, other):
    low, high = sorted((share, other))
    assume(low < high)
    chance = chance_of_run(length, votes=votes, share=low)
    slack = 1e-12
    assert chance_of_run(length + 1, votes=votes, share=low) <= chance + slack
    assert chance_of_run(length, votes=votes + 1, share=low) >= chance - slack
    assert chance_of_run(length, votes=votes, share=high) >= chance - slack


@settings(deadline=None, max_examples=25)
@given(st.floats(0, HIGHEST_SHARE), st.sampled_from([0.01, 0.001, 0.0005]))
def test_the_run_needed_is_the_shortest_that_is_improbable_enough(share, chance):
    length = run_needed(share, chance=chance)
    assert chance_of_run(length, votes=HORIZON, share=share) <= chance
    assert length == 1 or chance_of_run(length - 1, votes=HORIZON, share=share) > chance


def test_the_documentation_states_these_lengths_and_chances():
    rules = " ".join((Path(__file__).parents[2] / "docs" / "judging.md").read_text().split())
    chance = f"{FALSE_ALARM:.1%} in {HORIZON:,} votes |"
    assert f"| {HASTE} votes in a row, each given in less than a tenth of the time others take" in rules
    assert HASTE_PART == 0.1
    assert f"hurry so in one vote of {1 / HASTE_SHARE:.0f} at most" in rules
    assert f"| {PANES} votes in a row that prefer a lane and prefer the same pane" in rules
    assert f"lean to one pane {PANE_SHARE:.0%} of the time at most" in rules
    assert f'| {CHOICES} votes in a row that say "tie", or "both bad"' in rules
    assert rules.count(chance) == 3


@pytest.mark.parametrize(("length", "votes", "share"), [(0, 5, 0.5), (3, -1, 0.5), (3, 5, 1.2)])
def test_what_has_no_chance_is_refused(length, votes, share):
    with pytest.raises(ValueError, match="no run"):
        chance_of_run(length, votes=votes, share=share)
    with pytest.raises(ValueError, match="improbable"):
        run_needed(1.0)


@pytest.mark.parametrize("judges", [400, pytest.param(3_000, marks=pytest.mark.soak)])
def test_honest_judges_are_flagged_no_more_often_than_stated(judges):
    """At the very shares that are taken as an honest judge's most, over the whole horizon."""
    rng = np.random.default_rng(30)
    flagged = 0
    for _ in range(judges):
        panes = np.where(rng.random(HORIZON) < PANE_SHARE, "A", "B")
        seconds = np.where(rng.random(HORIZON) < HASTE_SHARE, 1.0, 60.0)
        readings = [Reading(str(pane), float(spent)) for pane, spent in zip(panes, seconds, strict=True)]
        flagged += bool(improbable_runs(readings, OTHERS))
    # Two detectors at work; four standard errors above what is expected at most.
    most = 2 * FALSE_ALARM * judges
    assert flagged <= most + 4 * math.sqrt(most)


def test_votes_that_nobody_can_have_read_are_found():
    hurried = said("A", "B", "tie", "A", "both_bad", seconds=5.9)
    assert len(hurried) == HASTE
    assert found(said("A", "B") + hurried + said("B")) == [("haste", HASTE)]
    assert improbable_runs(said("A", "B") + hurried, OTHERS)[0].places == (2, 3, 4, 5, 6)
    assert found(hurried[:-1]) == []
    assert found(said(*"ABABA", seconds=6.0)) == []


def test_one_that_was_read_breaks_the_run_and_one_that_was_not_timed_does_not():
    hurried = said("A", "B", "A", "B", seconds=1.0)
    assert found(hurried + said("A") + hurried) == []
    assert found([*hurried, Reading("A", None), *hurried]) == [("haste", 8)]


def test_quick_judges_among_quick_others_are_not_flagged():
    everybody_hurries = Others(median_seconds=60, hasty=0.4, tie=0.2, both_bad=0.1)
    assert found(said(*"ABABABAB", seconds=1.0), everybody_hurries) == []
    assert found(said(*"ABABABAB", seconds=1.0), Others(None, 0, 0, 0)) == []


@pytest.mark.parametrize("pane", ["A", "B"])
def test_the_same_pane_again_and_again_is_found_and_ties_in_between_hide_nothing(pane):
    other = "AB".replace(pane, "")
    assert found(said(*[pane] * PANES)) == [("one-pane", PANES)]
    assert found(said(*[pane, "tie"] * PANES)) == [("one-pane", PANES)]
    assert found(said(*[pane] * (PANES - 1), other, *[pane] * (PANES - 1))) == []


@pytest.mark.parametrize("choice", ["tie", "both_bad"])
def test_the_same_choice_again_and_again_is_found(choice):
    assert found(said(*[choice] * CHOICES)) == [("one-choice", CHOICES)]
    assert found(said(*[choice] * (CHOICES - 1), "A", *[choice] * (CHOICES - 1))) == []


def test_a_choice_that_others_make_as_often_takes_a_longer_run():
    hard_tasks = Others(median_seconds=60, hasty=0.01, tie=0.1, both_bad=0.8)
    assert found(said(*["both_bad"] * CHOICES), hard_tasks) == []
    assert found(said(*["both_bad"] * 60), hard_tasks) == [("one-choice", 60)]


def test_what_is_found_is_said_in_words_with_its_chance():
    run = improbable_runs(said(*["tie"] * 25), OTHERS)[0]
    assert run.words == '25 votes in a row say "tie".'
    assert run.chance == chance_of_run(25, votes=HORIZON, share=CHOICE_SHARE)
