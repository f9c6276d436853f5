"""One simulated arena under a vote-rigging campaign, from the draw to the scored calls.

Everybody is handed battles as the pool hands them out: pairs from the arena's own draw, redundant battles first while
they have a free seat, gold battles unannounced in between. Nobody chooses a pair; anybody may skip. Colluding accounts
are granted the worst that blindness can fail at: they recognise their agent in every battle, by its style.

Source of the two campaigns: Min and others 2025, "Improving your model ranking on Chatbot Arena by vote rigging".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from battles.matchmaking import Standing, draw_judges_needed, draw_one, pair_of, pair_probabilities
from ratings.estimators.arrays import Floats
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons, tabulate
from ratings.estimators.estimate import NoFiniteMaximum
from ratings.estimators.scale import ANCHOR, POINTS_PER_NAT
from ratings.estimators.seeded import SeededDraws

#: Share of what is handed out that is a gold battle, as in the pool.
GOLD_SHARE = 0.05
#: How often an honest judge calls a gold battle right.
HONEST_CALLS = 0.85
#: How often an honest judge skips, whoever races.
HONEST_SKIPS = 0.05
#: The draw reads new ratings and counts after so many battles.
DRAW_REFRESHED = 50
#: Uniform numbers made at once.
BUFFER = 4096


class Mode(StrEnum):
    """What colluding accounts do in a battle without their agent; in one with it they vote for it."""

    TARGET_ONLY = "target_only"
    EVERYWHERE = "everywhere"
    CAMOUFLAGED = "camouflaged"
    AGAINST_RIVALS = "against_rivals"


#: The same in words.
MODE_WORDS = {
    Mode.TARGET_ONLY: "vote for the agent, skip every other battle",
    Mode.EVERYWHERE: "vote for the agent, toss a coin elsewhere",
    Mode.CAMOUFLAGED: "vote for the agent, judge honestly elsewhere",
    Mode.AGAINST_RIVALS: "vote for the agent, elsewhere against whoever is above it",
}


@dataclass(frozen=True, slots=True)
class Arena:
    """The setting; the defaults are the case that is published.

    Attributes:
        agents: how many, evenly ``spacing`` points apart.
        spacing: points.
        target: place of the agent that is pushed, 0 for the best.
        honest_votes, honest_judges: of whom some vote much more than others.
        rigged_votes, colluders: the campaign, every account with as many votes.
        ties: share of honest votes that are ties.
        taste: standard deviation of an honest judge's own liking of an agent, nats.
    """

    agents: int = 12
    spacing: float = 40.0
    target: int = 7
    honest_votes: int = 3000
    honest_judges: int = 200
    rigged_votes: int = 300
    colluders: int = 30
    ties: float = 0.2
    taste: float = 0.3

    def __post_init__(self) -> None:
        if not 0 <= self.target < self.agents or self.agents < 2:
            raise ValueError("the target is one of two or more agents")
        if not 1 <= self.honest_judges <= self.honest_votes or not 1 <= self.colluders <= self.rigged_votes:
            raise ValueError("there are judges and accounts, and each of them casts at least one vote")
        if not 0 <= self.ties < 1 or self.taste < 0:
            raise ValueError("the share of ties is below one, and a taste is not negative")

    def strengths(self) -> Floats:
        """(M,) true strengths, nats, the best first."""
        place = np.arange(self.agents)
        return np.asarray((place.mean() - place) * self.spacing / POINTS_PER_NAT)


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """What a campaign left behind.

    Attributes:
        comparisons: all votes in the order of time, honest judges numbered first; k votes on a battle weigh 1/k each.
        honest: number of honest judges.
        calls: scored calls of every judge, oldest first: whether each was right.
    """

    comparisons: Comparisons
    honest: int
    calls: tuple[tuple[bool, ...], ...]


@dataclass(slots=True)
class _Battle:
    number: int
    slot_a: int
    slot_b: int
    seats: int
    met: set[int] = field(default_factory=set)
    outcomes: dict[int, int] = field(default_factory=dict)

    def takes_part(self, agent: int) -> bool:
        return agent in {self.slot_a, self.slot_b}

    def won_by(self, agent: int) -> int:
        return A_WINS if agent == self.slot_a else B_WINS


class _Chance:
    """Uniform numbers one at a time, the same everywhere for the same seed."""

    def __init__(self, draws: SeededDraws) -> None:
        self._draws = draws
        self._left: list[float] = []

    def random(self) -> float:
        if not self._left:
            self._left = self._draws.uniforms(BUFFER).tolist()
        return self._left.pop()


def run_campaign(arena: Arena, mode: Mode, *, seed: int) -> Votes:
    """Simulate an arena from its first battle to its last vote.

    Raises:
        ValueError: a negative seed.
    """
    return _Campaign(arena, mode, seed).run()


class _Campaign:
    """The arena while it runs: judges take turns until all votes are cast."""

    def __init__(self, arena: Arena, mode: Mode, seed: int) -> None:
        self.arena, self.mode = arena, mode
        draws = SeededDraws(seed)
        judges = arena.honest_judges + arena.colluders
        self.strengths = arena.strengths()
        self.liking = self.strengths + arena.taste * draws.normals(judges, arena.agents)
        self.turns = _turns(arena, draws)
        self.chance = _Chance(draws)
        self.draw = _Draw(arena.agents, self.chance)
        self.battles = 0
        self.open: list[_Battle] = []
        self.calls: list[list[bool]] = [[] for _ in range(judges)]
        self.rows: list[tuple[int, int, int, int, int]] = []

    def run(self) -> Votes:
        for judge in self.turns:
            self._turn(judge)
            if len(self.rows) % DRAW_REFRESHED == 0:
                self.draw.refresh(self._comparisons())
        return Votes(self._comparisons(), self.arena.honest_judges, tuple(map(tuple, self.calls)))

    def _comparisons(self) -> Comparisons:
        judge, a, b, outcome, battle = np.array(self.rows, dtype=np.int64).T
        return Comparisons(self.arena.agents, judge, a, b, outcome, 1 / np.bincount(battle)[battle], battle)

    def _turn(self, judge: int) -> None:
        """Hand battles to a judge until one gets a vote."""
        while True:
            if self.chance.random() < GOLD_SHARE:
                self._call_gold(judge)
                continue
            battle = self._handed(judge)
            battle.met.add(judge)
            if not self._skips(judge, battle):
                break
        outcome = self._outcome(judge, battle)
        battle.outcomes[judge] = outcome
        self.rows.append((judge, battle.slot_a, battle.slot_b, outcome, battle.number))
        if len(battle.outcomes) == battle.seats:
            self.open.remove(battle)
            self._call_majority(battle)

    def _handed(self, judge: int) -> _Battle:
        """The oldest open battle the judge has not met; a new one where there is none."""
        for battle in self.open:
            if judge not in battle.met:
                return battle
        match = self.draw.match()
        battle = _Battle(self.battles, match[0], match[1], draw_judges_needed(self.chance))
        self.battles += 1
        self.open.append(battle)
        return battle

    def _colludes(self, judge: int) -> bool:
        return judge >= self.arena.honest_judges

    def _skips(self, judge: int, battle: _Battle) -> bool:
        if self._colludes(judge) and self.mode == Mode.TARGET_ONLY:
            return not battle.takes_part(self.arena.target)
        return self.chance.random() < HONEST_SKIPS

    def _outcome(self, judge: int, battle: _Battle) -> int:
        target = self.arena.target
        if not self._colludes(judge):
            return self._honest(judge, battle)
        if battle.takes_part(target):
            return battle.won_by(target)
        if self.mode == Mode.EVERYWHERE:
            return self._coin()
        above = [agent for agent in (battle.slot_a, battle.slot_b) if agent < target]
        if self.mode == Mode.AGAINST_RIVALS and above:
            # Of two rivals the nearer one is overtaken first.
            rival = max(above)
            return battle.won_by(battle.slot_b if rival == battle.slot_a else battle.slot_a)
        return self._honest(judge, battle)

    def _honest(self, judge: int, battle: _Battle) -> int:
        if self.chance.random() < self.arena.ties:
            return TIE
        gap = float(self.liking[judge, battle.slot_a] - self.liking[judge, battle.slot_b])
        return A_WINS if self.chance.random() < 1 / (1 + math.exp(-gap)) else B_WINS

    def _coin(self) -> int:
        """Chance alone, with as many ties as others give: who never ties is found by that."""
        if self.chance.random() < self.arena.ties:
            return TIE
        return A_WINS if self.chance.random() < 0.5 else B_WINS

    def _call_gold(self, judge: int) -> None:
        """A battle of two agents of which a check knows the winner; either may have passed."""
        one, other = self.draw.match()
        winner = one if self.chance.random() < 0.5 else other
        target = self.arena.target
        if self._colludes(judge) and target in {one, other}:
            self.calls[judge].append(winner == target)
        else:
            self.calls[judge].append(self.chance.random() < HONEST_CALLS)

    def _call_majority(self, battle: _Battle) -> None:
        """On a battle with three judges each call is scored where both others agree."""
        if battle.seats < 3:
            return
        for judge, said in battle.outcomes.items():
            others = {outcome for other, outcome in battle.outcomes.items() if other != judge}
            if len(others) == 1:
                self.calls[judge].append(said in others)


class _Draw:
    """The arena's own draw, which reads counts and ratings anew from time to time."""

    def __init__(self, agents: int, chance: _Chance) -> None:
        self.keys = [f"{agent:04d}" for agent in range(agents)]
        self.chance = chance
        self.pairs = pair_probabilities(Standing(self.keys, {}, {}, {}))

    def match(self) -> tuple[int, int]:
        """Slots A and B."""
        names = {f"{one} {other}": chance for (one, other), chance in self.pairs.items()}
        one, other = (int(key) for key in draw_one(names, self.chance).split())
        return (one, other) if self.chance.random() < 0.5 else (other, one)

    def refresh(self, votes: Comparisons) -> None:
        """Read the battles and ratings so far."""
        table = tabulate(votes)
        meetings, battles = table.meetings(), votes.battles_per_agent()
        try:
            ratings = ANCHOR + POINTS_PER_NAT * fit_bradley_terry(table).strengths
        except NoFiniteMaximum:
            ratings = None
        keys = self.keys
        self.pairs = pair_probabilities(
            Standing(
                agents=keys,
                battles={key: int(battles[place]) for place, key in enumerate(keys)},
                meetings={
                    pair_of(keys[one], keys[other]): round(meetings[one, other])
                    for one in range(len(keys))
                    for other in range(one)
                },
                ratings={} if ratings is None else dict(zip(keys, ratings.tolist(), strict=True)),
            )
        )


def _turns(arena: Arena, draws: SeededDraws) -> list[int]:
    """Whose turn it is, vote by vote: honest judges vote unequally often, at least once; all mixed in time."""
    activity = np.exp(draws.normals(arena.honest_judges))
    share = np.cumsum(activity / activity.sum())
    more = np.searchsorted(share, draws.uniforms(arena.honest_votes - arena.honest_judges))
    honest = np.concatenate([np.arange(arena.honest_judges), np.minimum(more, arena.honest_judges - 1)])
    rigged = arena.honest_judges + np.arange(arena.rigged_votes) % arena.colluders
    turns = np.concatenate([honest, rigged])
    return [int(judge) for judge in turns[draws.orders(1, len(turns))[0]]]
