"""How well runs betray who made them: attribution of lanes to agents from style alone, against chance. Pure arithmetic.

Regularised least squares, one agent against the rest, on hashed counts of words, of character n-grams and of verbs, and
on how fast and how long a lane ran. It learns from some battles and is tried on others: the two lanes of a battle share
a task, so a battle is never on both sides. Accuracy is the mean over agents of the share of their lanes that were told,
so that an agent with many lanes counts as much as one with few; chance is then one over the number of agents.

Sources: Narayanan et al. 2012, On the feasibility of internet-scale author identification (the method among others);
Rifkin, Yeo and Poggio 2003, Regularized least-squares classification (solved over lanes, not features); Kish 1965,
Survey sampling (effective sample size under unequal weights).
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from judging.intervals import Z_95

#: Battles are dealt into so many parts; each part is tried on what was learnt from the others.
FOLDS = 5
#: With fewer battles a figure is noise.
BATTLES_NEEDED = 20
#: An agent seen in fewer battles cannot be both learnt and tried in every fold, and is left out.
BATTLES_PER_AGENT = 5
AGENTS_NEEDED = 2
#: Places of a hashed vocabulary; collisions cost a little accuracy and no memory.
WIDTH = 2_048
#: Lengths of character n-grams: word endings, punctuation habits.
GRAMS = (2, 3, 4)
#: A lane's text is read up to here.
READ_CHARACTERS = 20_000
#: A word is letters and digits, or one mark of punctuation.
WORD = re.compile(r"\w+|[^\w\s]")
#: How much is taken off what was learnt, in units of the mean square length of a lane's features.
RIDGE = 0.3

#: Scores are compared to so many digits: what only rounding tells apart is a tie.
ROUNDED = 9
#: Features of a mean square length below this do not vary.
TINY = 1e-12
TOGETHER = "together"

NO_AGENTS = "too_few_agents"
NO_BATTLES = "too_few_battles"
FEATURES = ("words", "characters", "verbs", "pace", "length")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LaneStyle:
    """What judges saw of one lane.

    Attributes:
        battle: which battle; its lanes are learnt from or tried together.
        agent: whose lane it is.
        text: reasoning and answer, as shown.
        verbs: verbs in order.
        seconds: of each step.
    """

    battle: Hashable
    agent: str
    text: str
    verbs: Sequence[str]
    seconds: Sequence[float]


@dataclass(frozen=True, slots=True)
class Attribution:
    """How often lanes were attributed to the right agent.

    Attributes:
        accuracy: mean over agents of the share of their lanes told; None with a ``reason``.
        chance: one over the number of agents; None where there are too few of them.
        lower, upper: 95% interval of the accuracy, at the effective number of battles.
        battles, agents: tried.
        effective: number of independent battles that the figure is worth.
        by_feature: the accuracy from one family of features alone.
        reason: why there is no figure; empty when there is one.
    """

    accuracy: float | None
    chance: float | None
    lower: float | None
    upper: float | None
    battles: int
    agents: int
    effective: float
    by_feature: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


def attribute(lanes: Iterable[LaneStyle], *, seed: int) -> Attribution:
    """Cross-validated attribution of lanes to their agents.

    Args:
        lanes: in any order; the figure depends on their contents and the seed alone.
        seed: of the dealing of battles into folds.
    """
    kept = _with_enough_battles(sorted(lanes, key=lambda lane: (str(lane.battle), lane.agent)))
    agents = sorted({lane.agent for lane in kept})
    battles = sorted({str(lane.battle) for lane in kept})
    if len(agents) < AGENTS_NEEDED or len(battles) < BATTLES_NEEDED:
        reason = NO_AGENTS if len(agents) < AGENTS_NEEDED else NO_BATTLES
        return Attribution(None, None, None, None, len(battles), len(agents), 0.0, reason=reason)
    truth = np.array([agents.index(lane.agent) for lane in kept])
    place = {battle: number for number, battle in enumerate(battles)}
    group = np.array([place[str(lane.battle)] for lane in kept])
    order = np.random.default_rng(seed).permutation(len(battles))
    fold = np.empty(len(battles), dtype=np.int64)
    fold[order] = np.arange(len(battles)) % FOLDS
    families = {name: _matrix(name, kept) for name in FEATURES}
    said = _tried(families, truth, fold[group], len(agents))
    told = said.pop(TOGETHER) == truth
    accuracy, lower, upper, effective = _interval(told, truth, group, len(agents))
    return Attribution(
        accuracy=accuracy,
        chance=1 / len(agents),
        lower=lower,
        upper=upper,
        battles=len(battles),
        agents=len(agents),
        effective=effective,
        by_feature={name: _share(found == truth, truth, len(agents)) for name, found in said.items()},
    )


def _with_enough_battles(lanes: Sequence[LaneStyle]) -> list[LaneStyle]:
    fought: dict[str, set[Hashable]] = {}
    for lane in lanes:
        fought.setdefault(lane.agent, set()).add(lane.battle)
    return [lane for lane in lanes if len(fought[lane.agent]) >= BATTLES_PER_AGENT]


def _matrix(family: str, lanes: Sequence[LaneStyle]) -> Floats:
    """One row a lane: (lanes, places) shares of hashed features, or (lanes, few) logarithms of times and counts."""
    if family == "pace":
        return np.array([_pace(lane.seconds) for lane in lanes])
    if family == "length":
        return np.array([[math.log1p(len(lane.verbs)), math.log1p(len(lane.text))] for lane in lanes])
    read = {"words": _words, "characters": _characters, "verbs": _verbs}[family]
    matrix = np.zeros((len(lanes), WIDTH))
    for row, lane in enumerate(lanes):
        for feature, count in read(lane).items():
            # Many of the same say little more than some.
            matrix[row, zlib.crc32(feature.encode()) % WIDTH] += math.sqrt(count)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1.0)


def _words(lane: LaneStyle) -> Counter[str]:
    return Counter(WORD.findall(lane.text[:READ_CHARACTERS].casefold()))


def _characters(lane: LaneStyle) -> Counter[str]:
    text = lane.text[:READ_CHARACTERS]
    return Counter(text[at : at + size] for size in GRAMS for at in range(len(text) - size + 1))


def _verbs(lane: LaneStyle) -> Counter[str]:
    pairs = (f"{one} {other}" for one, other in zip(lane.verbs, lane.verbs[1:], strict=False))
    return Counter([*lane.verbs, *pairs])


def _pace(seconds: Sequence[float]) -> tuple[float, float]:
    """Middle and spread of the steps' times, in logarithms: a slow step is twice another, not a second more."""
    logs = np.log(np.maximum(np.asarray(seconds, dtype=np.float64), 1e-3)) if len(seconds) else np.zeros(1)
    return float(np.median(logs)), float(np.std(logs))


def _tried(
    families: Mapping[str, Floats], truth: NDArray[np.int64], fold: NDArray[np.int64], agents: int
) -> dict[str, NDArray[np.int64]]:
    """The agent that each lane is attributed to from each family and from all together, as learnt in other folds."""
    grams = {name: matrix @ matrix.T for name, matrix in families.items()}
    said = {name: np.zeros(len(truth), dtype=np.int64) for name in (*families, TOGETHER)}
    for part in range(FOLDS):
        learn, held = np.flatnonzero(fold != part), np.flatnonzero(fold == part)
        # Every agent pulls as hard as any other, however many lanes it has.
        give = np.diag(RIDGE / (_weights(truth[learn], agents) * len(learn)))
        wanted = np.eye(agents)[truth[learn]] - 1 / agents
        near = {name: _likeness(gram, learn) for name, gram in grams.items()}
        near[TOGETHER] = np.mean(list(near.values()), axis=0)
        for name, like in near.items():
            learnt = np.linalg.solve(like[np.ix_(learn, learn)] + give, wanted)
            said[name][held] = np.round(like[np.ix_(held, learn)] @ learnt, ROUNDED).argmax(axis=1)
    return said


def _likeness(gram: Floats, learn: NDArray[np.int64]) -> Floats:
    """(lanes, lanes) products of features, centred and scaled by the lanes that are learnt from alone."""
    to_learnt = gram[:, learn].mean(axis=1)
    centred = gram - to_learnt[:, None] - to_learnt[None, :] + to_learnt[learn].mean()
    size = float(np.diag(centred)[learn].mean())
    return np.asarray(centred / (size if size > TINY else 1.0))


def _weights(truth: NDArray[np.int64], agents: int) -> Floats:
    """What each lane weighs, so that every agent weighs the same: (lanes,), sum 1."""
    counts = np.bincount(truth, minlength=agents)
    return np.asarray(1.0 / (agents * counts[truth]))


def _share(told: NDArray[np.bool_], truth: NDArray[np.int64], agents: int) -> float:
    """Mean over agents of the share of their lanes that were told."""
    counts = np.bincount(truth, minlength=agents)
    return float((np.bincount(truth, weights=told, minlength=agents) / counts).mean())


def _interval(
    told: NDArray[np.bool_], truth: NDArray[np.int64], group: NDArray[np.int64], agents: int
) -> tuple[float, float, float, float]:
    """Accuracy, a Wilson interval around it, and the effective number of battles that it is taken at.

    Lanes of one battle are one draw, of unequal weight: the effective number is one over the sum of the squared weights
    of battles, and less where the lanes of a battle succeed or fail together more than that.
    """
    weights = _weights(truth, agents)
    accuracy = _share(told, truth, agents)
    of_battle = np.bincount(group, weights=weights)
    by_kish = 1.0 / float((of_battle**2).sum())
    errors = np.bincount(group, weights=weights * (told - accuracy))
    variance = float((errors**2).sum())
    # Where all or none were told, nothing can be read off how errors go together.
    by_errors = accuracy * (1 - accuracy) / variance if 0 < told.sum() < told.size and variance > 0 else by_kish
    effective = max(1.0, min(by_kish, by_errors))
    centre = (accuracy + Z_95**2 / (2 * effective)) / (1 + Z_95**2 / effective)
    spread = math.sqrt(accuracy * (1 - accuracy) / effective + Z_95**2 / (4 * effective**2))
    half = Z_95 * spread / (1 + Z_95**2 / effective)
    return accuracy, max(0.0, min(accuracy, centre - half)), min(1.0, max(accuracy, centre + half)), effective
