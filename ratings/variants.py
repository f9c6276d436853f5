"""The other ways to fit the same votes, each published beside the headline, or refused with a reason.

A variant answers a question that the headline leaves open: what if every pair had met equally often, what if answers
looked alike, what if runs took alike long, what if ties were a result of their own, what of one kind of task alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratings.canonical import published
from ratings.corpus_file import PROCESS, STYLE
from ratings.estimators.arrays import different
from ratings.estimators.comparisons import Comparisons
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.estimators.schedule import FEWEST_DRAWS, adjust_for_schedule
from ratings.estimators.style import normalized_difference, scaled
from ratings.estimators.tie_models import LOG_NU
from ratings.headline import HeadlineFit, fit_headline
from ratings.inference.parameters import ParameterEstimate
from ratings.likelihoods import DAVIDSON, HEADLINE, Likelihood, styled
from ratings.rated_corpus import BOTH_BAD, TIE, Corpus
from ratings.rating_rows import rating_rows

#: A category with fewer rated battles is refused: at a hundred, an interval is still 70 points to either side.
FEWEST_BATTLES = 100
#: The uniform share of the draw keeps every pair at a fifth of an even chance, so that no weight can be larger.
LARGEST_WEIGHT = 5.0
#: Stored probabilities are sums of a few doubles.
ROUNDING = 1e-6

SCHEDULE = "schedule-adjusted"
STYLE_CONTROLLED = "style-controlled"
PROCESS_CONTROLLED = "process-controlled"
DAVIDSON_TIES = "davidson"
WITHOUT_BOTH_BAD = "both-bad-left-out"
CATEGORY = "category:"


class Refused(Exception):
    """A variant that these votes do not allow.

    Args:
        reason: a key of :data:`ratings.reason_words.REFUSALS`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant. ``fit`` is None where it was refused, for the reason given.

    Attributes:
        fit: its fit.
        reason: why there is none.
        notes: what else is published of it, as plain JSON values.
    """

    fit: HeadlineFit | None
    reason: str | None
    notes: Mapping[str, Any]


def rated_votes(corpus: Corpus) -> Comparisons:
    """The rated labels as comparisons; both bad is half a win, like a tie."""
    rated = corpus.rated
    outcome = np.where(corpus.outcome == BOTH_BAD, TIE, corpus.outcome)
    return Comparisons(
        judge=corpus.judge[rated],
        a=corpus.agent_a[rated],
        b=corpus.agent_b[rated],
        outcome=outcome[rated],
        agents=max(1, len(corpus.agents)),
        weight=corpus.weight[rated],
        battle=corpus.battle[rated],
    )


def seed_of(corpus: Corpus) -> int:
    """The seed of everything simulated comes from the corpus, so that anybody gets the same intervals."""
    return int(corpus.digest[:8], 16)


def fit_variants(corpus: Corpus, votes: Comparisons) -> dict[str, Variant]:
    """Every variant of a corpus by its name, refused ones included.

    Args:
        corpus: with at least one rated label.
        votes: its rated votes.
    """
    makers: dict[str, Callable[[], Variant]] = {
        SCHEDULE: lambda: _schedule(corpus, votes),
        STYLE_CONTROLLED: lambda: _controlled(corpus, votes, STYLE_CONTROLLED, STYLE),
        PROCESS_CONTROLLED: lambda: _controlled(corpus, votes, PROCESS_CONTROLLED, PROCESS),
        DAVIDSON_TIES: lambda: _davidson(corpus, votes),
        WITHOUT_BOTH_BAD: lambda: _without_both_bad(corpus, votes),
    }
    category = corpus.integers("category")[corpus.rated]
    for number, name in enumerate(corpus.categories):
        rows = category == number
        makers[f"{CATEGORY}{name}"] = lambda rows=rows: _category(corpus, votes, rows)  # type: ignore[misc]
    found = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except Refused as refusal:
            found[name] = Variant(None, refusal.reason, {})
    return found


def covariates_of(
    corpus: Corpus, names: tuple[str, ...]
) -> tuple[NDArray[np.float64], tuple[str, ...], tuple[str, ...]]:
    """Differences between the lanes of the rated votes, scaled and not centred.

    Returns:
        (K, n) covariates that ever differ from zero, their names, and the names of those that never do.
    """
    rated = corpus.rated
    sides = [(corpus.floats(f"{name}_a")[rated], corpus.floats(f"{name}_b")[rated]) for name in names]
    differences = np.stack([normalized_difference(of_a, of_b) for of_a, of_b in sides])
    moves = np.asarray(differences.any(axis=1))
    kept = tuple(name for name, used in zip(names, moves, strict=True) if used)
    return scaled(differences[moves]), kept, tuple(name for name in names if name not in kept)


def _fit(corpus: Corpus, votes: Comparisons, likelihood: Likelihood = HEADLINE) -> HeadlineFit:
    """The fit of a variant.

    Raises:
        Refused: no agent gets a rating.
    """
    if not len(votes):
        raise Refused("no_votes")
    fit = fit_headline(votes, corpus.agents, likelihood=likelihood, seed=seed_of(corpus))
    if not any(row.rating is not None for row in fit.agents):
        failures = [component.failure for component in fit.components if component.failure is not None]
        raise Refused(failures[0] if failures else "unbounded")
    return fit


def _schedule(corpus: Corpus, votes: Comparisons) -> Variant:
    probability, pairs = corpus.floats("probability")[corpus.rated], corpus.integers("pairs")[corpus.rated]
    over_uniform = 1 / (probability * np.maximum(1, pairs))
    if (over_uniform > LARGEST_WEIGHT * (1 + ROUNDING)).any():
        raise Refused("probability_below_floor")
    adjusted = adjust_for_schedule(votes, probability, corpus.draws.astype(np.float64))
    if not len(adjusted.votes):
        raise Refused("too_few_draws")
    fit = _fit(corpus, adjusted.votes)
    left_out = [[corpus.agents[one], corpus.agents[other]] for one, other in adjusted.refused]
    return Variant(
        fit,
        None,
        {
            "largest_weight": published(float(over_uniform[adjusted.kept].max())),
            "effective_votes": published(adjusted.effective_votes),
            "pairs_left_out": left_out,
            "fewest_draws": FEWEST_DRAWS,
        },
    )


def _controlled(corpus: Corpus, votes: Comparisons, name: str, described: tuple[str, ...]) -> Variant:
    covariates, kept, unused = covariates_of(corpus, described)
    if not kept:
        raise Refused("no_variation")
    fit = _fit(corpus, votes, styled(name, covariates, kept))
    return Variant(fit, None, {"parameters": _parameters(fit, POINTS_PER_NAT), "never_differs": list(unused)})


def _davidson(corpus: Corpus, votes: Comparisons) -> Variant:
    fit = _fit(corpus, votes, DAVIDSON)
    return Variant(fit, None, {"parameters": _parameters(fit, 1.0)})


def _without_both_bad(corpus: Corpus, votes: Comparisons) -> Variant:
    spoken = corpus.outcome[corpus.rated] != BOTH_BAD
    if spoken.all():
        raise Refused("no_both_bad")
    return Variant(_fit(corpus, votes.take(spoken)), None, {})


def _category(corpus: Corpus, votes: Comparisons, rows: NDArray[np.bool_]) -> Variant:
    if len(different(corpus.battle[corpus.rated][rows])) < FEWEST_BATTLES:
        raise Refused("too_few_comparisons")
    return Variant(_fit(corpus, votes.take(rows)), None, {})


def _parameters(fit: HeadlineFit, unit: float) -> list[dict[str, Any]]:
    """Further parameters by component; a component that could not be fitted has none."""
    return [
        {"component": number, **parameter_document(parameter, unit)}
        for number, component in enumerate(fit.components)
        if component.core is not None
        for parameter in component.core.parameters
    ]


def parameter_document(parameter: ParameterEstimate, unit: float) -> dict[str, Any]:
    """A further parameter in ``unit`` per nat; ln nu is published as nu, which people can read."""

    def of(value: float | None) -> float | None:
        if value is None:
            return None
        return published(float(np.exp(value)) if parameter.name == LOG_NU else unit * value)

    return {
        "name": "nu" if parameter.name == LOG_NU else parameter.name,
        "value": of(parameter.value),
        "lower": of(parameter.lower),
        "upper": of(parameter.upper),
        "reason": parameter.reason,
    }


def variant_document(variant: Variant) -> dict[str, Any]:
    """A variant as it is published in full."""
    rows = [] if variant.fit is None else rating_rows(variant.fit)
    return {"reason": variant.reason, "ratings": rows, **variant.notes}


def both_ranges(row: dict[str, Any], adjusted: Variant) -> dict[str, Any]:
    """A headline row with the rank range of the schedule-adjusted fit, and whether the two claim the same."""
    other = None
    if adjusted.fit is not None:
        other = next((found for found in adjusted.fit.agents if found.agent == row["agent"]), None)
    best, worst = (None, None) if other is None else (other.rank_best, other.rank_worst)
    claimed = best is not None and (best, worst) == (row["rank_best"], row["rank_worst"])
    return {**row, "adjusted_best": best, "adjusted_worst": worst, "rank_claimed": claimed}
