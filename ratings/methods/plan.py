"""The planner: what a question costs in votes, for the ways in which two agents may meet.

A way that costs f times the votes of a head to head costs what a share of ties of 1 - (1 - tau)/f would, so that one
library function answers for all ways.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ratings.inference.intervals import CONFIDENCE, t_quantile
from ratings.inference.planning import THIRD_PARTY_FACTOR, votes_for_halfwidth, votes_to_detect
from ratings.inference.status import POWER, SETTLING_BATTLES, SIGNIFICANCE
from ratings.methods.inputs import Choice, Number

#: Two goals: to tell two agents apart who are so far apart, or an interval of so much to either side.
DETECT = "gap"
HALFWIDTH = "half-width"
#: The round robin that is planned.
ROUND_ROBIN = 5
ROUND_ROBIN_PAIRS = ROUND_ROBIN * (ROUND_ROBIN - 1) // 2
#: In an even round robin of M agents the variance of a gap is M - 1 times that of a head to head of as many votes.
ROUND_ROBIN_FACTOR = ROUND_ROBIN - 1

GOAL = Choice(
    "goal",
    "What for?",
    ((DETECT, "To tell two agents apart"), (HALFWIDTH, "For an interval of a width")),
    default=DETECT,
)
POINTS = Number("points", "Gap or half-width, in points", 20, 1, 400)
TIES = Number("ties", "Share of ties, in percent", 0, 0, 90)
FIELDS = (GOAL, POINTS, TIES)


@dataclass(frozen=True, slots=True)
class Plan:
    """Independent votes that a question takes.

    Attributes:
        goal: ``gap`` or ``half-width``.
        points: the gap, or the half-width.
        tie_share: share of ties.
        head_to_head: votes between the two.
        newcomer: votes of a newcomer against agents that are known well, for its rating alone.
        pool: votes of both together, each against others of about their strength, never against each other.
        round_robin: votes of a round robin of five, all pairs together.
    """

    goal: str
    points: float
    tie_share: float
    head_to_head: int
    newcomer: int
    pool: int
    round_robin: int

    @property
    def each_pair(self) -> int:
        """Votes of every pair of the round robin."""
        return round(self.round_robin / ROUND_ROBIN_PAIRS)

    @property
    def too_few(self) -> bool:
        """So few votes that the normal approximation is a rough guide at most."""
        return self.head_to_head < SETTLING_BATTLES

    def document(self) -> dict[str, Any]:
        """As plain JSON values."""
        votes = {
            "head_to_head": self.head_to_head,
            "newcomer_against_known": self.newcomer,
            "through_others": self.pool,
            "round_robin": {"agents": ROUND_ROBIN, "total": self.round_robin, "each_pair": self.each_pair},
        }
        test = {"power": POWER, "significance": SIGNIFICANCE} if self.goal == DETECT else {"confidence": CONFIDENCE}
        asked = {"goal": self.goal, "points": self.points, "tie_share": self.tie_share}
        return asked | test | {"votes": votes, "rough": self.too_few}


def plan(goal: str, points: float, ties_percent: float) -> Plan:
    """Answer one question of the planner."""
    tie_share = ties_percent / 100
    direct = _votes(goal, points, tie_share)
    return Plan(
        goal=goal,
        points=points,
        tie_share=tie_share,
        head_to_head=direct,
        newcomer=direct,
        pool=_votes(goal, points, tie_share, THIRD_PARTY_FACTOR),
        round_robin=_votes(goal, points, tie_share, ROUND_ROBIN_FACTOR),
    )


def curve(goal: str, ties_percent: float, points: Iterable[float]) -> list[int]:
    """Head-to-head votes for each of some numbers of points."""
    return [_votes(goal, number, ties_percent / 100) for number in points]


def reach(goal: str) -> float:
    """Standard errors of the gap that have to fit into the points of the question."""
    if goal == HALFWIDTH:
        return t_quantile(math.inf)
    return t_quantile(math.inf, confidence=1 - SIGNIFICANCE) + t_quantile(math.inf, confidence=POWER, sides=1)


def _votes(goal: str, points: float, tie_share: float, factor: float = 1) -> int:
    costs = 1 - (1 - tie_share) / factor
    if goal == HALFWIDTH:
        return votes_for_halfwidth(points, tie_share=costs)
    return votes_to_detect(points, tie_share=costs)
