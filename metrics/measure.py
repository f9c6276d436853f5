"""What a measure is: its definition and its computation, as data. No Django."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from metrics.computation import Computation
from metrics.reading import Floor


class Direction(StrEnum):
    """Which way is good; ``neutral`` measures rank nothing."""

    HIGHER = "higher"
    LOWER = "lower"
    NEUTRAL = "neutral"


class Scope(StrEnum):
    """Whether every agent has a value of its own."""

    AGENT = "agent"
    ARENA = "arena"


class Section(StrEnum):
    """Chapters of the catalogue, in order."""

    OUTCOMES = "Outcomes"
    ACTIONS = "Actions"
    OBSTACLES = "Obstacles"
    TIME_AND_COST = "Time and cost"
    ANSWERS = "Answers"
    JUDGING = "Judging"
    ARENA = "Arena"


class Unit(StrEnum):
    """What values are in. A share is between 0 and 1."""

    SHARE = "share"
    POINTS = "points"
    USD = "USD"
    STEPS = "steps"
    INDEX = "0-1"
    SECONDS = "s"
    TOKENS = "tokens"
    WORDS = "words"
    AGREEMENT = "-1 to 1"
    JUDGES = "judges"
    RATIO = "ratio"
    VOTE_SHARE = "share of votes"


#: Decimals of published values; ends of intervals have no more. Finer ones could be traced back to counts: the ratings
#: publish the ends of their intervals to whole points, and so does this.
DECIMALS = {
    Unit.SHARE: 2,
    Unit.POINTS: 0,
    Unit.USD: 4,
    Unit.STEPS: 1,
    Unit.INDEX: 2,
    Unit.SECONDS: 1,
    Unit.TOKENS: 0,
    Unit.WORDS: 0,
    Unit.AGREEMENT: 2,
    Unit.JUDGES: 1,
    Unit.RATIO: 2,
    Unit.VOTE_SHARE: 3,
}

#: How an interval is made, by what it is an interval of.
BY_LANE = "95%: the wider of Wilson's at the effective size and the cluster-robust on the logit; battles are clusters"
BY_JUDGE = "95%: the wider of Wilson's at the effective size and the cluster-robust on the logit; judges are clusters"
BY_BATTLE = BY_LANE
WILSON = "95%: Wilson's"
OF_A_MEDIAN = "95%: order statistics"
WHOLE_RECORD = "none: it describes the whole record and is no sample"


@dataclass(frozen=True, slots=True)
class Measure:
    """One published number with what it means.

    Attributes:
        key: stable name in the API.
        name: as a page says it.
        section: its chapter.
        counted, over: numerator and denominator, in words.
        unit: what values are in.
        direction: which way is good.
        caveat: what it does not establish.
        records: names of the records it is read from, all of them (:data:`metrics.records.TABLES`).
        scope: one value for each agent, or one for the arena.
        interval: how its interval is made.
        floor: below how much of what it is not published.
        computation: the function that computes it.
    """

    key: str
    name: str
    section: Section
    counted: str
    over: str
    unit: Unit
    direction: Direction
    caveat: str
    records: tuple[str, ...]
    scope: Scope
    interval: str
    floor: Floor
    computation: Computation
