"""The ways strengths are estimated, in one form, so that every variant is published by the same code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ratings.estimators.arrays import Flags, Floats
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import Comparisons, PairTable
from ratings.estimators.estimate import Estimate
from ratings.estimators.style import fit_style
from ratings.estimators.tie_models import fit_davidson, fit_rao_kupper


@dataclass(frozen=True, slots=True)
class Likelihood:
    """A way to estimate the strengths of agents that the votes connect strongly.

    Attributes:
        name: as published.
        fit: from n votes, the same votes added up, and the (N,) flags of which of all votes these are (None for all of
            them), to an estimate; raises NoFiniteMaximum.
        profile_bounds: whether unbounded agents are bounded by the half-win likelihood, which holds only on its own
            scale.
    """

    name: str
    fit: Callable[[Comparisons, PairTable, Flags | None], Estimate]
    profile_bounds: bool = False


def _half_wins(votes: Comparisons, table: PairTable, rows: Flags | None) -> Estimate:
    return fit_bradley_terry(table)


def _with_position(votes: Comparisons, table: PairTable, rows: Flags | None) -> Estimate:
    return fit_bradley_terry(table, position=True)


def _davidson(votes: Comparisons, table: PairTable, rows: Flags | None) -> Estimate:
    return fit_davidson(table)


def _rao_kupper(votes: Comparisons, table: PairTable, rows: Flags | None) -> Estimate:
    return fit_rao_kupper(table)


def styled(name: str, covariates: Floats, names: Sequence[str]) -> Likelihood:
    """Strengths with style held equal.

    Args:
        name: as published, such as ``style-controlled`` or ``process-controlled``.
        covariates: (K, N) differences of style of all votes, scaled and not centred.
        names: of the covariates.
    """

    def fit(votes: Comparisons, table: PairTable, rows: Flags | None) -> Estimate:
        return fit_style(votes, covariates if rows is None else covariates[:, rows], names)

    return Likelihood(name, fit)


#: Bradley-Terry with ties as half a win and no position term: what is published first.
HEADLINE = Likelihood("headline", _half_wins, profile_bounds=True)
#: The same with the advantage of slot A as a parameter.
POSITION = Likelihood("position", _with_position)
#: Ties with a probability of their own, in proportion to the strengths or by a threshold.
DAVIDSON = Likelihood("davidson", _davidson)
RAO_KUPPER = Likelihood("rao_kupper", _rao_kupper)
