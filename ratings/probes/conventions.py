"""Whether the order survives other ways of counting: by side, without ties or with a model of them, by style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ratings.estimators.arrays import Floats
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import TIE, PairTable
from ratings.estimators.covariance import judge_covariance
from ratings.estimators.estimate import Estimate, NoFiniteMaximum
from ratings.estimators.style import fit_style, scaled
from ratings.estimators.tie_models import fit_davidson
from ratings.inference.robustness import LEVEL
from ratings.probes.board import Board, CannotAnswer
from ratings.probes.probe import Probe

#: Two points of a hundred more for a side: as much as 14 rating points.
SIDE_ADVANTAGE = 0.02
#: Five points of a hundred for a difference of style of ordinary size: as much as 35 rating points.
STYLE_ADVANTAGE = 0.05
#: No pair that is told apart may change its order.
REORDERED = 0.0
#: Pairs are told apart at this level, adjusted over all of them.
TOLD_APART = 0.05


@dataclass(frozen=True, slots=True)
class _Advantage:
    """What a parameter gives one of two equal agents, as a distance of its share from one half."""

    value: float
    lower: float
    upper: float


def position_bias(board: Board) -> Probe:
    """The advantage of slot A in the fit, the agents' strengths accounted for."""
    board.require_judges()
    estimate = _seated(board)
    (found,) = _advantages(board, estimate)
    fired = found.lower > SIDE_ADVANTAGE
    return Probe("position_bias", fired, found.value, found.lower, found.upper, SIDE_ADVANTAGE, None)


def position_reordering(board: Board) -> Probe:
    """Pairs told apart whose order is another one in the fit that accounts for the slot."""
    return _reordering("position_reordering", board, [_seated(board)])


def tie_convention(board: Board) -> Probe:
    """Pairs told apart whose order is another one without the ties, or in Davidson's model of them."""
    weight = board.table.weight.copy()
    if not weight[:, :, TIE].any():
        return Probe("tie_convention", False, 0.0, None, None, REORDERED, None)
    weight[:, :, TIE] = 0
    variants = []
    for fit, table in ((fit_bradley_terry, PairTable(weight)), (fit_davidson, board.table)):
        try:
            variants.append(fit(table))
        except NoFiniteMaximum:
            continue
    if not variants:
        raise CannotAnswer("Without their ties the agents are not rated on one scale.")
    return _reordering("tie_convention", board, variants)


def style(board: Board, covariates: Floats | None, names: Sequence[str]) -> Probe:
    """The coefficient of style that is surest to matter, for a difference of ordinary (root mean square) size."""
    if covariates is None or not len(names):
        raise CannotAnswer("No style was measured.")
    board.require_judges()
    own = covariates if board.rows is None else covariates[:, board.rows]
    varies = np.asarray(own.any(axis=1))
    if not varies.any():
        raise CannotAnswer("No style differs between the sides.")
    kept = [name for name, moves in zip(names, varies.tolist(), strict=True) if moves]
    try:
        estimate = fit_style(board.votes, scaled(own[varies]), kept)
    except NoFiniteMaximum as refusal:
        raise CannotAnswer(f"Style cannot be told from the agents: {refusal}.") from refusal
    found = _advantages(board, estimate)
    surest = max(range(len(kept)), key=lambda place: found[place].lower)
    value, low, high = found[surest].value, found[surest].lower, found[surest].upper
    return Probe("style", low > STYLE_ADVANTAGE, value, low, high, STYLE_ADVANTAGE, None, (kept[surest],))


def _seated(board: Board) -> Estimate:
    try:
        return fit_bradley_terry(board.table, position=True)
    except NoFiniteMaximum as refusal:
        raise CannotAnswer(f"The side cannot be told from the agents: {refusal}.") from refusal


def _advantages(board: Board, estimate: Estimate) -> list[_Advantage]:
    """Of every further parameter, with intervals for all of them at once."""
    covariance = judge_covariance(board.votes, estimate)
    if not covariance.usable.any():
        raise CannotAnswer("Judges are too few for the errors of what is fitted.")
    error = np.sqrt(np.maximum(0, np.diag(covariance.matrix)[len(board.names) :]))
    size, reach = np.abs(estimate.extras), board.reach(len(error)) * error
    ends = (expit(size) - 0.5, np.maximum(0, expit(size - reach) - 0.5), expit(size + reach) - 0.5)
    return [_Advantage(*row) for row in zip(*(end.tolist() for end in ends), strict=True)]


def _reordering(key: str, board: Board, variants: Sequence[Estimate]) -> Probe:
    """How many pairs that the headline tells apart any of the variants turns around, and the widest of them."""
    gap = board.tests.gap
    with np.errstate(invalid="ignore"):
        apart = (gap > 0) & (board.tests.p_holm < TOLD_APART)
    if not apart.any():
        raise CannotAnswer("No two agents are told apart to begin with.")
    turned = np.zeros_like(apart)
    for variant in variants:
        turned |= variant.strengths[:, None] - variant.strengths[None, :] < -LEVEL
    turned &= apart
    about: tuple[str, ...] = ()
    if turned.any():
        upper, lower = np.unravel_index(int(np.argmax(np.where(turned, gap, -np.inf))), gap.shape)
        about = board.names[int(upper)], board.names[int(lower)]
    value = float(turned.sum())
    return Probe(key, value > REORDERED, value, None, None, REORDERED, None, about)
