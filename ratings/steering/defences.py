"""What the arena does about a campaign, by the rules it runs on: trust by scored calls, and tests of judges' votes.

Accounts that either speaks against are held. In the arena an operator decides about each within days; here all of
them stay held.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from judging.trust_rule import speaks_against
from ratings.estimators.arrays import Flags
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import Comparisons, tabulate
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.inference.coalitions import likely_members
from ratings.inference.judge_sequences import CHOICE_LEVEL, LIKING_LEVEL, SURPRISE_LEVEL, judge_sequences
from ratings.steering.campaign import Votes


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """(J,) flags by judge: whom each defence holds."""

    trust: Flags
    surprise: Flags
    liking: Flags
    choice: Flags
    coalition: Flags

    def any(self) -> Flags:
        return self.trust | self.surprise | self.liking | self.choice | self.coalition


def defend(votes: Votes) -> Held:
    """Apply all defences once, as a fit does."""
    judges = len(votes.calls)
    found = judge_sequences(votes.comparisons)

    def everybody(flags: Flags) -> Flags:
        spread = np.zeros(judges, dtype=np.bool_)
        spread[found.judge[flags]] = True
        return spread

    return Held(
        trust=np.array([speaks_against(calls) is True for calls in votes.calls], dtype=np.bool_),
        surprise=everybody(found.surprise < SURPRISE_LEVEL),
        liking=everybody(found.liking < LIKING_LEVEL),
        choice=everybody(found.choice < CHOICE_LEVEL),
        coalition=everybody(likely_members(found.member)),
    )


def rank_of(agent: int, votes: Comparisons, kept: Flags) -> tuple[int, float]:
    """Rank and points (about zero) of an agent in the fit of some of the votes; a battle weighs one whoever is left.

    Raises:
        NoFiniteMaximum: those votes do not rate all agents.
    """
    left = votes.take(kept)
    if left.battle is not None:
        left = replace(left, weight=1 / np.bincount(left.battle)[left.battle])
    strengths = fit_bradley_terry(tabulate(left)).strengths
    return 1 + int((strengths > strengths[agent]).sum()), POINTS_PER_NAT * float(strengths[agent])
