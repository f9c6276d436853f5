"""The other ways to fit the same votes: what each undoes, and when it is refused."""

import numpy as np
import pytest

from ratings.documents import Provenance, full_document
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.headline import fit_headline
from ratings.models import Board
from ratings.variants import (
    DAVIDSON_TIES,
    FEWEST_BATTLES,
    LARGEST_WEIGHT,
    PROCESS_CONTROLLED,
    SCHEDULE,
    STYLE_CONTROLLED,
    WITHOUT_BOTH_BAD,
    fit_variants,
    rated_votes,
)
from tests.ratings.boards import ballots, head_to_head, judged_apart, simulate
from tests.ratings.corpora import corpus_of, drawn_votes, lively_corpus, looks

EVEN = (1000, 1000)


def variants(corpus):
    return fit_variants(corpus, rated_votes(corpus))


def cycle(times=(96, 12, 12)):
    """A 70% three-cycle whose first pair met eight times as often."""
    rows = []
    for (a, b), met in zip(((0, 1), (1, 2), (2, 0)), times, strict=True):
        won = round(0.75 * met)
        rows += head_to_head(won, met - won, a=a, b=b)
    return ballots(judged_apart(rows))


def test_the_schedule_is_undone():
    votes = cycle()
    met = np.array([[0, 96, 12], [96, 0, 12], [12, 12, 0]])
    corpus = corpus_of(votes, probability=met[votes.a, votes.b] / 120, draws=120)
    plain = fit_headline(rated_votes(corpus), corpus.agents)
    assert max(row.rating for row in plain.agents) - min(row.rating for row in plain.agents) > 90
    adjusted = variants(corpus)[SCHEDULE]
    assert [row.rating for row in adjusted.fit.agents] == pytest.approx([1000] * 3, abs=1e-6)


def test_a_pair_that_was_available_half_the_time_counts_double():
    votes = ballots(
        judged_apart(head_to_head(30, 30) + head_to_head(20, 10, a=0, b=2) + head_to_head(20, 10, a=2, b=1))
    )
    corpus = corpus_of(votes, draws=120)
    corpus.draws[:] = [[0, 120, 60], [120, 0, 60], [60, 60, 0]]
    [weights] = [component.core.estimate for component in variants(corpus)[SCHEDULE].fit.components]
    even = corpus_of(votes, probability=np.where((votes.a == 2) | (votes.b == 2), 1 / 6, 1 / 3), draws=120)
    [other] = [component.core.estimate for component in variants(even)[SCHEDULE].fit.components]
    assert weights.strengths == pytest.approx(other.strengths, abs=1e-9)


def test_real_draws_have_no_weight_above_five_times_uniform():
    votes, chances = drawn_votes([1300, 1200, 1100, 1000, 900, 800], 2_000, seed=5)
    adjusted = variants(corpus_of(votes, probability=chances))[SCHEDULE]
    assert adjusted.reason is None
    assert 1 < adjusted.notes["largest_weight"] <= LARGEST_WEIGHT


def test_a_stored_probability_below_the_floor_is_no_probability_of_this_draw():
    votes = simulate(EVEN, 80, seed=1)
    assert variants(corpus_of(votes, probability=np.full(80, 0.19)))[SCHEDULE].reason == "probability_below_floor"
    assert variants(corpus_of(votes, probability=np.full(80, 0.2)))[SCHEDULE].reason is None


def test_too_few_draws_adjust_nothing():
    assert variants(corpus_of(simulate(EVEN, 80, seed=1), draws=29))[SCHEDULE].reason == "too_few_draws"


def test_style_is_held_equal_and_the_process_apart():
    """Six equal models, one of which writes at length; judges like length, and nothing else."""
    rng = np.random.default_rng(4)
    n, m, effect = 6_000, 6, 0.8
    plain = simulate([1000] * m, n, seed=4, judges=80)
    length = {
        side: rng.lognormal(4, 0.4, n) * np.where(agent == 2, 2, 1) for side, agent in (("a", plain.a), ("b", plain.b))
    }
    difference = (length["a"] - length["b"]) / (length["a"] + length["b"])
    size = np.sqrt(np.square(difference).mean())
    won = rng.random(n) < 1 / (1 + np.exp(-effect * difference / size))
    columns = looks(n, 9) | {f"length_{side}": values.round() for side, values in length.items()}
    corpus = corpus_of(plain, outcome=np.where(won, 2, 0), **columns)
    found = variants(corpus)
    raw = fit_headline(rated_votes(corpus), corpus.agents)
    assert raw[corpus.agents[2]].rating > 1100
    controlled = found[STYLE_CONTROLLED]
    assert controlled.fit[corpus.agents[2]].rating == pytest.approx(1000, abs=25)
    [coefficient] = [row for row in controlled.notes["parameters"] if row["name"] == "length"]
    assert coefficient["lower"] <= effect * POINTS_PER_NAT <= coefficient["upper"]
    assert {row["name"] for row in controlled.notes["parameters"]} == {"length", "headers", "lists", "bold"}
    assert {row["name"] for row in found[PROCESS_CONTROLLED].notes["parameters"]} == {"steps", "seconds"}
    assert found[PROCESS_CONTROLLED].fit[corpus.agents[2]].rating > 1100


def test_marks_that_nobody_uses_are_left_out_and_named():
    votes = simulate(EVEN, 120, seed=3)
    columns = looks(120, 1)
    columns |= {f"{mark}_{side}": np.zeros(120) for mark in ("headers", "bold") for side in "ab"}
    assert variants(corpus_of(votes, **columns))[STYLE_CONTROLLED].notes["never_differs"] == ["headers", "bold"]
    assert variants(corpus_of(votes))[STYLE_CONTROLLED].reason == "no_variation"


def test_ties_of_their_own_and_both_bad_left_out():
    rows = head_to_head(50, 30, ties=40)
    corpus = corpus_of(ballots(rows), outcome=np.array([2] * 50 + [0] * 30 + [1] * 20 + [3] * 20))
    found = variants(corpus)
    assert found[DAVIDSON_TIES].notes["parameters"][0]["name"] == "nu"
    gap = lambda fit: fit.gap("agent-0", "agent-1").gap  # noqa: E731
    headline = fit_headline(rated_votes(corpus), corpus.agents)
    assert gap(headline) == pytest.approx(400 * np.log10(70 / 50), abs=0.01)
    assert gap(found[WITHOUT_BOTH_BAD].fit) == pytest.approx(400 * np.log10(60 / 40), abs=0.01)
    assert gap(found[DAVIDSON_TIES].fit) > gap(headline)
    assert variants(corpus_of(simulate(EVEN, 50, seed=2)))[WITHOUT_BOTH_BAD].reason == "no_both_bad"
    assert variants(corpus_of(simulate(EVEN, 50, seed=2)))[DAVIDSON_TIES].reason == "no_variation"


def test_a_category_needs_comparisons_enough():
    votes = simulate(EVEN, 3 * FEWEST_BATTLES, seed=6)
    few = np.arange(len(votes)) < FEWEST_BATTLES - 1
    found = variants(corpus_of(votes, category=few.astype(int)))
    assert found["category:shopping"].reason == "too_few_comparisons"
    assert found["category:forms"].fit is not None
    enough = variants(corpus_of(votes, category=(np.arange(len(votes)) < FEWEST_BATTLES).astype(int)))
    assert enough["category:shopping"].fit is not None
    shared = variants(corpus_of(votes, category=few.astype(int), battle=np.arange(len(votes)) // 2))
    assert shared["category:forms"].reason is None, "two labels on a battle are one comparison"


def test_a_rank_is_claimed_only_where_both_fits_agree():
    document = full_document(Board.DEMO, lively_corpus(), Provenance())
    rows = document["ratings"]
    assert all(
        row["rank_claimed"] == ((row["rank_best"], row["rank_worst"]) == (row["adjusted_best"], row["adjusted_worst"]))
        for row in rows
    )
    assert any(row["rank_claimed"] for row in rows)
    votes = cycle((400, 40, 40))
    met = np.array([[0, 400, 40], [400, 0, 40], [40, 40, 0]])
    torn = corpus_of(votes, probability=met[votes.a, votes.b] / 480, draws=480)
    rows = full_document(Board.DEMO, torn, Provenance())["ratings"]
    assert not all(row["rank_claimed"] for row in rows)
    without = full_document(Board.DEMO, corpus_of(votes, draws=10), Provenance())
    assert {(row["adjusted_best"], row["rank_claimed"]) for row in without["ratings"]} == {(None, False)}
    assert without["variants"][SCHEDULE]["reason"] == "too_few_draws"
