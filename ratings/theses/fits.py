"""Beliefs about fits and their intervals."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from governance.theses import Cited, CodeMutation, Section, Thesis, thesis
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import Comparisons, PairTable, tabulate
from ratings.estimators.covariance import NOT_IDENTIFIED, Covariance, model_covariance
from ratings.estimators.elo_rule import TICKER_FIRST_K, TICKER_LAST_K
from ratings.estimators.estimate import Estimate


def _votes(judges: int = 60, *, times: int = 1) -> Comparisons:
    """Three agents, each pair met often with both outcomes; every judge says what they say so many times."""
    number = np.arange(judges)
    a, b = number % 3, (number + 1) % 3
    outcome = np.where((number % 7 < 4) | (number % 6 == 1), 2, 0)
    judge, a, b, outcome = (np.repeat(column, times) for column in (number, a, b, outcome))
    return Comparisons(3, judge, a, b, outcome)


def _from_scratch(fit: Callable[..., Estimate]) -> bool:
    """The same votes give the same strengths, in any order and from wherever the search begins; others do not."""
    votes = _votes()
    fitted = fit(tabulate(votes)).strengths
    shuffled = fit(tabulate(votes.take(np.arange(len(votes))[::-1]))).strengths
    elsewhere = fit(tabulate(votes), start=np.array([1.0, -0.4, -0.6])).strengths
    others = fit(tabulate(_votes(47))).strengths
    same = np.allclose(fitted, shuffled, atol=1e-9) and np.allclose(fitted, elsewhere, atol=1e-7)
    return bool(same and not np.allclose(fitted, others, atol=1e-3))


def _carried_on(table: PairTable, *, start: Any = None) -> SimpleNamespace:
    """A fit that goes on from where it was."""
    strengths = fit_bradley_terry(table).strengths
    return SimpleNamespace(strengths=strengths if start is None else (strengths + start) / 2)


thesis(
    Thesis(
        section=Section.RATINGS,
        key="refitted-from-scratch",
        belief="Ratings are fitted from all rated labels each time, and depend on nothing else: no order, no past "
        "rating.",
        why="A number that remembers how it came about cannot be made again by anybody.",
        mechanism="Each refit reads the corpus in one statement and finds the maximum of its likelihood, which is one.",
        cites=Cited("ratings.estimators.bradley_terry", "fit_bradley_terry"),
        predicate=_from_scratch,
        broken=_carried_on,
        mutations=(
            CodeMutation(
                "the search for the maximum",
                "ratings/estimators/bradley_terry.py",
                "    found = maximise(evaluate, origin, m)\n",
                "    found = maximise(evaluate, origin, m, tolerance=1e9)\n",
            ),
        ),
    )
)


def _clusters(covariance: Callable[[Comparisons, Estimate], Covariance]) -> bool:
    """Judges who say the same again and again make nobody surer."""
    errors = []
    for times in (1, 10):
        votes = _votes(times=times)
        errors.append(np.diag(covariance(votes, fit_bradley_terry(tabulate(votes))).matrix))
    return bool(np.allclose(errors[0], errors[1]))


def _believes_every_vote(votes: Comparisons, estimate: Estimate) -> Covariance:
    """Errors that take each vote for news, and have an answer to everything."""
    return model_covariance(estimate)


JUDGES = Cited("ratings.estimators.covariance", "judge_covariance")
COVARIANCE = "ratings/estimators/covariance.py"

thesis(
    Thesis(
        section=Section.RATINGS,
        key="judges-are-the-clusters",
        belief="A judge who says the same again and again makes no interval narrower.",
        why="One person’s votes share that person’s taste; counted apart they pass for agreement.",
        mechanism="Intervals are made from sums by judge, whatever the votes of one judge have in common.",
        cites=JUDGES,
        predicate=_clusters,
        broken=_believes_every_vote,
        mutations=(
            CodeMutation(
                "that votes are summed by judge",
                COVARIANCE,
                "    judges = judges or _group(votes, votes.judge, estimate)\n",
                "    judges = judges or _group(votes, np.arange(len(votes)), estimate)\n",
            ),
        ),
    )
)


def _refuses_unidentified(covariance: Callable[[Comparisons, Estimate], Covariance]) -> bool:
    """With no more judges than ratings to find there is no interval; with many there is one for each."""
    votes = _votes()
    few = Comparisons(3, votes.judge % 2, votes.a, votes.b, votes.outcome)
    reasons = [covariance(each, fit_bradley_terry(tabulate(each))).reasons for each in (few, votes)]
    return set(reasons[0]) == {NOT_IDENTIFIED} and set(reasons[1]) == {None}


thesis(
    Thesis(
        section=Section.RATINGS,
        key="no-interval-where-none-is-known",
        belief="Where there are not more judges than ratings to find, no interval is published, and the reason is.",
        why="The formula gives a number there too, and it means nothing.",
        mechanism="The covariance carries a reason for each agent, and an interval with a reason is not made.",
        cites=JUDGES,
        predicate=_refuses_unidentified,
        broken=_believes_every_vote,
        mutations=(
            CodeMutation(
                "the refusal of intervals that are not identified",
                COVARIANCE,
                "    if len(judges) <= estimate.free_parameters:\n",
                "    if len(judges) < 1:\n",
            ),
        ),
    )
)


def _calms_down(k: Callable[[int], float]) -> bool:
    steps = [k(battles) for battles in range(60)]
    return steps[0] == TICKER_FIRST_K and steps[30] == steps[59] == TICKER_LAST_K and steps == sorted(steps)[::-1]


thesis(
    Thesis(
        section=Section.RATINGS,
        key="newcomers-not-penalised",
        belief="A newcomer’s running rating finds its level quickly: it moves by {first:.0f} points at first, and by "
        "{last:.0f} once it is known.",
        why="Who begins at the mean and moves slowly is held there by the calendar.",
        mechanism="The ticker’s step falls with an agent’s own battles; the published rating has no memory.",
        cites=Cited("ratings.estimators.elo_rule", "ticker_k"),
        figures={
            "first": Cited("ratings.estimators.elo_rule", "TICKER_FIRST_K"),
            "last": Cited("ratings.estimators.elo_rule", "TICKER_LAST_K"),
        },
        predicate=_calms_down,
        broken=lambda battles: 32.0,
        mutations=(
            CodeMutation(
                "the quick steps of newcomers",
                "ratings/estimators/elo_rule.py",
                "    return max(TICKER_LAST_K, TICKER_FIRST_K / math.sqrt(1 + battles / 2))\n",
                "    return TICKER_LAST_K\n",
            ),
        ),
    )
)
