"""A vote-rigging campaign against the defences, many times over, and what comes of it.

The result is published whatever it says. Three targets: at least four of five colluding accounts are held, at most two
of a hundred honest judges are flagged, and the agent moves by one rank at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np

from ratings.inference.intervals import t_quantile
from ratings.inference.shares import wilson
from ratings.steering.campaign import MODE_WORDS, Arena, Mode, run_campaign
from ratings.steering.defences import defend, rank_of
from ratings.steering.oracle import ceiling

#: Share of colluding accounts that ought to be held.
HELD_TARGET = 0.80
#: Share of honest judges that may be flagged.
FLAGGED_TARGET = 0.02
#: Ranks by which the agent may move.
MOVED_TARGET = 1.0
DEFAULT_RUNS = 50


@dataclass(frozen=True, slots=True)
class Run:
    """One campaign.

    Attributes:
        held: share of the colluding accounts that are held.
        holdable: share that an observer who knows the campaign could hold at the target for honest judges.
        flagged: share of the honest judges that are held with them.
        honest_votes_lost: share of the honest votes that go.
        moved, moved_undefended: ranks the agent gains on the fit of the honest votes alone.
        points, points_undefended: points it gains.
        by_defence: share of the colluding accounts each defence holds by itself.
    """

    held: float
    holdable: float
    flagged: float
    honest_votes_lost: float
    moved: int
    moved_undefended: int
    points: float
    points_undefended: float
    by_defence: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over runs with its 95% interval; without one where a single run was made."""

    value: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class ModeResult:
    """All runs of one campaign.

    Attributes:
        mode: what the accounts do.
        held, holdable, flagged, honest_votes_lost: means over runs of the figures of :class:`Run`.
        moved, moved_undefended, points, points_undefended: the same.
        within: share of runs in which the agent moves by no more than the target.
        worst_moved: the most ranks it gained in any run.
        by_defence: share of the colluding accounts each defence holds by itself.
    """

    mode: Mode
    held: Figure
    holdable: Figure
    flagged: Figure
    honest_votes_lost: Figure
    moved: Figure
    moved_undefended: Figure
    points: Figure
    points_undefended: Figure
    within: Figure
    worst_moved: int
    by_defence: tuple[tuple[str, float], ...]

    @property
    def holds_enough(self) -> bool:
        return self.held.value >= HELD_TARGET

    @property
    def spares_the_honest(self) -> bool:
        return self.flagged.value <= FLAGGED_TARGET

    @property
    def keeps_the_rank(self) -> bool:
        return self.moved.value <= MOVED_TARGET

    @property
    def reached(self) -> bool:
        return self.holds_enough and self.spares_the_honest and self.keeps_the_rank


@dataclass(frozen=True, slots=True)
class SteeringResult:
    """The simulation: its setting, seed and runs, and one result per campaign."""

    arena: Arena
    seed: int
    runs: int
    modes: tuple[ModeResult, ...]

    @property
    def reached(self) -> bool:
        """Whether all targets are reached in every campaign."""
        return all(result.reached for result in self.modes)


def simulate_steering(
    *,
    arena: Arena | None = None,
    seed: int = 0,
    runs: int = DEFAULT_RUNS,
    modes: Sequence[Mode] = tuple(Mode),
    told: Callable[[Mode, int], None] | None = None,
) -> SteeringResult:
    """Simulate campaigns.

    Args:
        arena: the setting; the published case by default.
        seed: of everything; the same one gives the same result.
        runs: campaigns of each mode.
        modes: what accounts do.
        told: called with the mode and the number of runs done, for whoever waits.

    Raises:
        ValueError: no runs, or a negative seed.
    """
    if runs < 1 or seed < 0:
        raise ValueError("at least one run, and a seed that is not negative")
    setting = arena or Arena()
    results = []
    for mode in modes:
        found = []
        for number in range(runs):
            # Modes share their seeds, so that the same tastes and turns meet every campaign.
            found.append(run_once(setting, mode, seed=seed * 1_000_003 + number))
            if told is not None:
                told(mode, number + 1)
        results.append(_summed_up(mode, found))
    return SteeringResult(setting, seed, runs, tuple(results))


def run_once(arena: Arena, mode: Mode, *, seed: int) -> Run:
    """One campaign and the defences against it."""
    votes = run_campaign(arena, mode, seed=seed)
    held = defend(votes)
    colludes = np.arange(len(votes.calls)) >= votes.honest
    judge, out = votes.comparisons.judge, held.any()
    honest = ~colludes[judge]
    rank, points = rank_of(arena.target, votes.comparisons, honest)
    rigged_rank, rigged_points = rank_of(arena.target, votes.comparisons, np.ones_like(honest))
    left_rank, left_points = rank_of(arena.target, votes.comparisons, ~out[judge])
    defences = {field.name: getattr(held, field.name) for field in fields(held)}
    return Run(
        held=float(out[colludes].mean()),
        holdable=ceiling(arena, mode, votes, flagged=FLAGGED_TARGET, seed=seed),
        flagged=float(out[~colludes].mean()),
        honest_votes_lost=float(out[judge][honest].mean()),
        moved=rank - left_rank,
        moved_undefended=rank - rigged_rank,
        points=left_points - points,
        points_undefended=rigged_points - points,
        by_defence=tuple((name, float(flags[colludes].mean())) for name, flags in defences.items()),
    )


def steering_document(result: SteeringResult) -> dict[str, object]:
    """The result for JSON: plain values, None where there is no number."""
    return {
        "arena": asdict(result.arena),
        "seed": result.seed,
        "runs": result.runs,
        "targets": {"held": HELD_TARGET, "flagged": FLAGGED_TARGET, "moved": MOVED_TARGET},
        "reached": result.reached,
        "modes": [
            {
                **asdict(found),
                "mode": found.mode.value,
                "means": MODE_WORDS[found.mode],
                "by_defence": dict(found.by_defence),
                "holds_enough": found.holds_enough,
                "spares_the_honest": found.spares_the_honest,
                "keeps_the_rank": found.keeps_the_rank,
            }
            for found in result.modes
        ],
    }


def _summed_up(mode: Mode, runs: Sequence[Run]) -> ModeResult:
    def mean(name: str) -> Figure:
        return _mean([float(getattr(run, name)) for run in runs])

    names = [name for name, _ in runs[0].by_defence]
    by_defence = tuple((name, float(np.mean([dict(run.by_defence)[name] for run in runs]))) for name in names)
    within = wilson(float(np.mean([run.moved <= MOVED_TARGET for run in runs])), len(runs))
    return ModeResult(
        mode=mode,
        held=mean("held"),
        holdable=mean("holdable"),
        flagged=mean("flagged"),
        honest_votes_lost=mean("honest_votes_lost"),
        moved=mean("moved"),
        moved_undefended=mean("moved_undefended"),
        points=mean("points"),
        points_undefended=mean("points_undefended"),
        within=Figure(within.value, within.lower, within.upper),
        worst_moved=max(run.moved for run in runs),
        by_defence=by_defence,
    )


def _mean(values: Sequence[float]) -> Figure:
    value = float(np.mean(values))
    if len(values) < 2:
        return Figure(value, None, None)
    reach = t_quantile(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Figure(value, value - reach, value + reach)
