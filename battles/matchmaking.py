"""The draw: which two agents race, as arithmetic on plain values.

Source: ``20-lanes``, section 2. Nothing here knows a clock, a caller or a kind of battle, and there is
no constant for any one agent: a newcomer is drawn often because it has few battles, and that uses itself up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

#: Share of draws that ignore every weight, so that no pair's probability can reach zero.
UNIFORM_FLOOR = 0.20
#: A lopsided pair keeps this much of its information weight: the strong still meet the weak.
INFO_FLOOR = 0.35
#: Battles every agent is credited with, so that the first ones do not swamp the draw.
PRIOR_BATTLES = 4
#: The same for a pair.
PRIOR_MEETINGS = 2
#: Share of battles that need three judges, drawn before anybody saw the battle.
REDUNDANT_SHARE = 0.10
#: Points per natural-log unit of strength.
POINTS_PER_NAT = 400 / math.log(10)


class Randomness(Protocol):
    """What a draw needs from its source of chance: ``random.SystemRandom`` or a seeded one in simulations."""

    def random(self) -> float: ...


class TooFewAgents(Exception):
    """A draw needs two agents."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the draw reads. Agents by key, battles by agent, meetings by unordered pair.

    ``ratings`` are published points; an agent without one is missing from the mapping. Pairs in ``meetings``
    are tuples in ascending order of key.
    """

    agents: Sequence[str]
    battles: Mapping[str, int]
    meetings: Mapping[tuple[str, str], int]
    ratings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Match:
    """The outcome of a draw: who runs in which slot, and the probability of the unordered pair."""

    slot_a: str
    slot_b: str
    pair_probability: float


def anchor_weight(battles: int) -> float:
    """1/sqrt(n + 4): how much an agent with ``battles`` measured battles is wanted as anchor."""
    return 1 / math.sqrt(battles + PRIOR_BATTLES)


def information(rating_one: float | None, rating_other: float | None) -> float:
    """max(0.35, 4p(1-p)) for the win probability p of published ratings in points; p is 0.5 while unknown."""
    if rating_one is None or rating_other is None:
        return 1.0
    win = 1 / (1 + math.exp(-(rating_one - rating_other) / POINTS_PER_NAT))
    return max(INFO_FLOOR, 4 * win * (1 - win))


def pair_of(one: str, other: str) -> tuple[str, str]:
    """The unordered pair, in ascending order of key."""
    return (one, other) if one < other else (other, one)


def opponent_weight(standing: Standing, anchor: str, opponent: str) -> float:
    """Uncertainty of the opponent x information of the pair x coverage of the pair."""
    meetings = standing.meetings.get(pair_of(anchor, opponent), 0)
    return (
        anchor_weight(standing.battles.get(opponent, 0))
        * information(standing.ratings.get(anchor), standing.ratings.get(opponent))
        / math.sqrt(meetings + PRIOR_MEETINGS)
    )


def ordered_probabilities(standing: Standing) -> dict[str, dict[str, float]]:
    """Probability of drawing each anchor and then each opponent, from the whole mixture. Sums to 1.

    Raises:
        TooFewAgents: fewer than two different agents.
    """
    agents = sorted(set(standing.agents))
    if len(agents) < 2:
        raise TooFewAgents
    weights = {agent: anchor_weight(standing.battles.get(agent, 0)) for agent in agents}
    total = math.fsum(weights.values())
    uniform = UNIFORM_FLOOR / (len(agents) * (len(agents) - 1))
    ordered: dict[str, dict[str, float]] = {}
    for anchor in agents:
        wanted = {other: opponent_weight(standing, anchor, other) for other in agents if other != anchor}
        share = (1 - UNIFORM_FLOOR) * weights[anchor] / total / math.fsum(wanted.values())
        ordered[anchor] = {other: uniform + share * weight for other, weight in wanted.items()}
    return ordered


def pair_probabilities(standing: Standing) -> dict[tuple[str, str], float]:
    """Exact probability of every unordered pair, by summing over both ways to draw it. Sums to 1.

    Raises:
        TooFewAgents: fewer than two different agents.
    """
    ordered = ordered_probabilities(standing)
    return {
        (one, other): ordered[one][other] + ordered[other][one] for one in ordered for other in ordered if one < other
    }


def draw_one(weights: Mapping[str, float], rng: Randomness) -> str:
    """One key, with probability proportional to its weight (inverse CDF in the mapping's order)."""
    point = rng.random() * math.fsum(weights.values())
    for key, weight in weights.items():
        point -= weight
        if point < 0:
            return key
    return next(reversed(list(weights)))


def select_match(standing: Standing, rng: Randomness) -> Match:
    """Three independent draws: the anchor from its marginal, the opponent from its conditional, the slots.

    Raises:
        TooFewAgents: fewer than two different agents.
    """
    ordered = ordered_probabilities(standing)
    anchor = draw_one({agent: math.fsum(row.values()) for agent, row in ordered.items()}, rng)
    opponent = draw_one(ordered[anchor], rng)
    slot_a, slot_b = (anchor, opponent) if rng.random() < 0.5 else (opponent, anchor)
    # Two agents alone meet with certainty, which rounding must not overshoot.
    probability = min(1.0, ordered[anchor][opponent] + ordered[opponent][anchor])
    return Match(slot_a=slot_a, slot_b=slot_b, pair_probability=probability)


def draw_judges_needed(rng: Randomness) -> int:
    """3 with probability 0.10, else 1."""
    return 3 if rng.random() < REDUNDANT_SHARE else 1
