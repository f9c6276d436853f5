"""What the order of a board is worth, probe by probe.

Each probe asks one question of the votes and holds one figure against a named threshold. Figures that are estimated
have an interval, and the probe fires only where the end of it that is nearer to innocence is past the threshold;
``separation`` is the exception that proves nothing: it fires where a gap cannot be told from none. Where votes
cannot answer, the probe says why and does not fire.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ratings.estimators.arrays import Floats
from ratings.estimators.comparisons import Comparisons
from ratings.estimators.threads import one_blas_thread
from ratings.probes.board import Board, CannotAnswer, largest_board, parts_of
from ratings.probes.consistency import EVEN, SHIFT, drift, intransitivity
from ratings.probes.conventions import (
    REORDERED,
    SIDE_ADVANTAGE,
    STYLE_ADVANTAGE,
    position_bias,
    position_reordering,
    style,
    tie_convention,
)
from ratings.probes.judges import ERROR_RATIO, WHOLE_GAP, judge_clustering, judge_influence
from ratings.probes.order import DECISIVE_SHARE, NO_GAP, RANKS_MOVED, drop_to_flip, rank_volatility, separation
from ratings.probes.probe import WORDS, Probe, Words
from ratings.probes.schedule import LEAST_COVERED, LOOSEST_LINK, connectivity, coverage_imbalance

__all__ = ["THRESHOLDS", "WORDS", "Probe", "Words", "run_probes"]

#: What each figure is held against, by key.
THRESHOLDS: Mapping[str, float] = MappingProxyType(
    {
        "separation": NO_GAP,
        "rank_volatility": RANKS_MOVED,
        "connectivity": LOOSEST_LINK,
        "coverage_imbalance": LEAST_COVERED,
        "position_bias": SIDE_ADVANTAGE,
        "position_reordering": REORDERED,
        "tie_convention": REORDERED,
        "intransitivity": EVEN,
        "judge_clustering": ERROR_RATIO,
        "judge_influence": WHOLE_GAP,
        "drop_to_flip": DECISIVE_SHARE,
        "drift": SHIFT,
        "style": STYLE_ADVANTAGE,
    }
)


def run_probes(
    votes: Comparisons,
    agents: Sequence[str],
    *,
    covariates: Floats | None = None,
    covariate_names: Sequence[str] = (),
    times: Floats | None = None,
    seed: int = 0,
) -> tuple[Probe, ...]:
    """Ask all probes, in the order of :data:`WORDS`.

    Args:
        votes: n comparisons of M agents.
        agents: their M names.
        covariates: (K, n) differences of style, a against b, not centred; None where none were measured.
        covariate_names: of the covariates.
        times: (n,) when each vote was cast, in any unit; None where it is not known.
        seed: of the simulated panels of judges.

    Raises:
        ValueError: names, covariates or times do not fit the votes.
    """
    _check(votes, agents, covariates, covariate_names, times)
    with one_blas_thread():
        table, parts = parts_of(votes)
        board: Board | str
        try:
            board = largest_board(votes, agents, parts, table, seed)
        except CannotAnswer as why:
            board = str(why)

        def on_board(probe: Callable[[Board], Probe]) -> Callable[[], Probe]:
            def ask() -> Probe:
                if isinstance(board, str):
                    raise CannotAnswer(board)
                return probe(board)

            return ask

        asked: dict[str, Callable[[], Probe]] = {
            "separation": on_board(separation),
            "rank_volatility": on_board(rank_volatility),
            "connectivity": lambda: connectivity(table, parts, agents),
            "coverage_imbalance": lambda: coverage_imbalance(table, agents),
            "position_bias": on_board(position_bias),
            "position_reordering": on_board(position_reordering),
            "tie_convention": on_board(tie_convention),
            "intransitivity": on_board(intransitivity),
            "judge_clustering": on_board(judge_clustering),
            "judge_influence": on_board(judge_influence),
            "drop_to_flip": on_board(drop_to_flip),
            "drift": on_board(lambda rated: drift(rated, times)),
            "style": on_board(lambda rated: style(rated, covariates, covariate_names)),
        }
        return tuple(_ask(key, asked[key]) for key in WORDS)


def _ask(key: str, probe: Callable[[], Probe]) -> Probe:
    try:
        found = probe()
    except CannotAnswer as why:
        return Probe(key, None, None, None, None, THRESHOLDS[key], str(why))
    # An interval from hardly any judges may have no end.
    return replace(found, lower=_finite(found.lower), upper=_finite(found.upper))


def _finite(end: float | None) -> float | None:
    return end if end is not None and math.isfinite(end) else None


def _check(
    votes: Comparisons,
    agents: Sequence[str],
    covariates: Floats | None,
    names: Sequence[str],
    times: Floats | None,
) -> None:
    if len(agents) != votes.agents:
        raise ValueError(f"{votes.agents} agents need as many names, not {len(agents)}")
    if covariates is not None and covariates.shape != (len(names), len(votes)):
        raise ValueError(f"{len(names)} covariates of {len(votes)} votes, not an array of shape {covariates.shape}")
    if times is not None and times.shape != (len(votes),):
        raise ValueError(f"one time a vote is needed: {len(votes)}, not an array of shape {times.shape}")
