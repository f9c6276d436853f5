"""Runs of votes that a person who reads does not cast by chance. Pure arithmetic.

A run is a number of votes in a row that are all of one kind: all hurried, all for the same pane, all "tie". Each
detector states how often a vote of an honest judge is of that kind at most, and asks for a run so long that such a
judge would show one among :data:`HORIZON` votes with a chance of :data:`FALSE_ALARM` at most, wherever it starts and
however often one looks. Votes of one judge are taken as independent of each other, which is why a run is a reason to
ask and never one to punish.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

#: Votes that the false alarms are stated for: three full days of voting, or a year of an hour a week.
HORIZON = 1_000
#: Chance that a detector ever puts labels of an honest judge aside within the horizon: one such judge in a thousand.
FALSE_ALARM = 0.001
#: Votes given in less than this part of the others' median focused time were not read: ten times quicker than most.
HASTE_PART = 0.1
#: An honest judge hurries that much once in twenty votes at most (a page that failed to load, a lane that gave up).
HASTE_SHARE = 0.05
#: An honest judge prefers one pane this often at most; people lean to a side a little, and slots are drawn.
PANE_SHARE = 0.6
#: An honest judge says "tie", or "both bad", this often at most, or as often as the others where that is more.
CHOICE_SHARE = 0.5
#: No share is taken as higher than this: beyond, no run of any length would say anything.
HIGHEST_SHARE = 0.95

Choice = Literal["A", "B", "tie", "both_bad"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One vote as the detectors see it.

    Attributes:
        choice: the pane it preferred as the page showed it, ``tie`` or ``both_bad``.
        seconds: that its judge spent on the battle at most; None where nothing was measured.
    """

    choice: Choice
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Others:
    """What the other judges do; None where too few of them are known.

    Attributes:
        median_seconds: of the time that a battle took them.
        hasty, tie, both_bad: shares of their votes.
    """

    median_seconds: float | None
    hasty: float
    tie: float
    both_bad: float


@dataclass(frozen=True, slots=True)
class ImprobableRun:
    """A run that calls for an operator.

    Attributes:
        detector: ``haste``, ``one-pane`` or ``one-choice``.
        places: positions among the readings, ascending; votes of no concern in between are left out.
        chance: that an honest judge shows a run as long among ``HORIZON`` votes, at most.
        words: what was found, for the operator.
    """

    detector: str
    places: tuple[int, ...]
    chance: float
    words: str


def chance_of_run(length: int, *, votes: int, share: float) -> float:
    """Chance of at least one run of ``length`` or more among independent votes of which ``share`` are of the kind.

    Exact: a first run ends at a vote exactly when the vote before the run is not of the kind and no run ended earlier.

    Source: Feller 1968, An introduction to probability theory and its applications, volume 1, section XIII.7.

    Raises:
        ValueError: no length, a negative number of votes, or a share that is none.
    """
    if length < 1 or votes < 0 or not 0 <= share <= 1:
        raise ValueError(f"no run of {length} among {votes} votes, {share} of them of the kind")
    if votes < length:
        return 0.0
    ends_here = share**length
    reached = [0.0] * length + [ends_here]
    for vote in range(length + 1, votes + 1):
        fresh = 1 - reached[vote - length - 1]
        reached.append(reached[-1] + fresh * (1 - share) * ends_here)
    return min(1.0, reached[votes])


@cache
def run_needed(share: float, *, votes: int = HORIZON, chance: float = FALSE_ALARM) -> int:
    """The shortest run whose chance is no more than ``chance``.

    Raises:
        ValueError: a share or a chance that is none, or a share of 1, under which every run is likely.
    """
    if not 0 <= share < 1 or not 0 < chance <= 1:
        raise ValueError(f"no run is improbable for a share of {share} and a chance of {chance}")
    length = 1
    while chance_of_run(length, votes=votes, share=share) > chance:
        length += 1
    return length


def improbable_runs(readings: Sequence[Reading], others: Others) -> list[ImprobableRun]:
    """All runs of one judge's votes, oldest first, that are too long to be chance."""
    found = []
    if others.median_seconds is not None:
        found += _hasty(readings, others.median_seconds, others.hasty)
    found += [run for pane in ("A", "B") for run in _one_pane(readings, pane)]
    for choice, share, words in (("tie", others.tie, "tie"), ("both_bad", others.both_bad, "both bad")):
        found += _one_choice(readings, choice, share, words)
    return found


def _hasty(readings: Sequence[Reading], median: float, share: float) -> list[ImprobableRun]:
    timed = [(place, reading.seconds) for place, reading in enumerate(readings) if reading.seconds is not None]
    limit = HASTE_PART * median
    words = f"in a row were given in less than {limit:.1f} s each, where others take {median:.0f} s"
    kind = [(place, seconds < limit) for place, seconds in timed]
    return _runs("haste", kind, max(share, HASTE_SHARE), FALSE_ALARM, words)


def _one_pane(readings: Sequence[Reading], pane: str) -> list[ImprobableRun]:
    """Each of two panes gets half of the false alarms."""
    decided = [
        (place, reading.choice == pane) for place, reading in enumerate(readings) if reading.choice in {"A", "B"}
    ]
    return _runs("one-pane", decided, PANE_SHARE, FALSE_ALARM / 2, f"in a row that prefer a lane prefer pane {pane}")


def _one_choice(readings: Sequence[Reading], choice: str, share: float, words: str) -> list[ImprobableRun]:
    said = [(place, reading.choice == choice) for place, reading in enumerate(readings)]
    return _runs("one-choice", said, max(share, CHOICE_SHARE), FALSE_ALARM / 2, f'in a row say "{words}"')


def _runs(
    detector: str, votes: Sequence[tuple[int, bool]], share: float, chance: float, words: str
) -> list[ImprobableRun]:
    # In hundredths and upwards, so that a share measured anew every hour needs no new search.
    share = min(HIGHEST_SHARE, -(-share * 100 // 1) / 100)
    needed = run_needed(share, chance=chance)
    found: list[ImprobableRun] = []
    run: list[int] = []
    for place, of_the_kind in [*votes, (-1, False)]:
        if of_the_kind:
            run.append(place)
            continue
        if len(run) >= needed:
            likely = chance_of_run(len(run), votes=HORIZON, share=share)
            found.append(ImprobableRun(detector, tuple(run), likely, f"{len(run)} votes {words}."))
        run = []
    return found
