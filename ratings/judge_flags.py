"""Judges whose votes are improbable against everybody else's: their labels are put aside for an operator.

The arithmetic is :mod:`ratings.inference.judge_sequences`; here votes are read for it and flags become holds. What it
says of a judge is looked at after fixed numbers of votes and corrected for the looks, so that a run every night does
not turn chance into a flag.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db.models import F

from battles.models import Agent, Battle
from governance.models import Judge
from judging.models import HeldLabel, Vote
from judging.trust import flag_judge, released_from
from ratings.estimators.arrays import Integers
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons
from ratings.inference.coalitions import MEMBER_LEVEL, likely_members
from ratings.inference.judge_sequences import (
    CHOICE_LEVEL,
    FEWEST_TO_CHOOSE,
    LIKING_LEVEL,
    LOOKS,
    SURPRISE_LEVEL,
    JudgeSequences,
    judge_sequences,
)

#: Its name as a detector, see :func:`judging.trust.flag_judge`.
DETECTOR = "sequence"
#: Numbers of votes after which a judge is looked at; votes beyond the last one reached wait for the next.
LOOKED_AT = (FEWEST_TO_CHOOSE, *LOOKS)
#: Chance that an honest judge is flagged at all: three tests at all looks together, and the share of honest judges that
#: may be taken for members where a campaign is seen.
FALSE_ALARM = SURPRISE_LEVEL + LIKING_LEVEL + CHOICE_LEVEL + MEMBER_LEVEL


@dataclass(frozen=True, slots=True)
class CastVote:
    """One vote as it is read; ``outcome`` is seen from slot A, ``drawn_at`` is when the battle was drawn."""

    vote: UUID
    judge: str
    agent_a: str
    agent_b: str
    outcome: int
    drawn_at: datetime


@dataclass(frozen=True, slots=True)
class Flag:
    """Why one judge's votes are put aside.

    Attributes:
        judge: whose.
        agent: whose battles it is about; "" for all of them.
        words: what was found, for the operator.
    """

    judge: str
    agent: str
    words: str


def hold_improbable_judges() -> list[HeldLabel]:
    """Put aside the votes of judges whom the tests flag, on live and on practice battles apart; the new holds.

    Running it again holds nothing twice, and votes that an operator released are no evidence any more.
    """
    held: list[HeldLabel] = []
    for kind in (Battle.Kind.LIVE, Battle.Kind.PRACTICE):
        cast = read_votes(kind)
        for flag in find_flags(cast, roster_changes()):
            about = {
                vote.vote
                for vote in cast
                if vote.judge == flag.judge and flag.agent in {"", vote.agent_a, vote.agent_b}
            }
            judge, votes = Judge.objects.get(pk=flag.judge), list(Vote.objects.filter(pk__in=about))
            held += flag_judge(judge=judge, votes=votes, detector=DETECTOR, reason=flag.words)
    return held


def read_votes(kind: Battle.Kind) -> list[CastVote]:
    """Final votes on clean battles of a kind, oldest first, without those an operator released from this detector.

    Held ones are among them: taken out, they would take the evidence against the next vote with them.
    """
    votes = (
        Vote.objects.filter(locked_at__isnull=False, withdrawn_at__isnull=True, battle__kind=kind)
        .filter(battle__leak_scan=Battle.Leak.CLEAN, battle__task__withdrawn_at__isnull=True)
        .exclude(battle__state=Battle.State.VOID)
        .exclude(pk__in=released_from(DETECTOR).values("vote_id"))
        .annotate(slot=F("winner__slot"))
        .order_by("cast_at", "pk")
    )
    rows = votes.values_list("pk", "judge_id", "battle__agent_a_id", "battle__agent_b_id", "slot", "battle__created_at")
    won = {"A": A_WINS, "B": B_WINS, None: TIE}
    return [CastVote(vote, judge, a, b, won[slot], drawn_at) for vote, judge, a, b, slot, drawn_at in rows]


def roster_changes() -> list[datetime]:
    """When agents joined or left, ascending: in between, every judge is handed the same agents."""
    dates = Agent.objects.values_list("created_at", "retired_at")
    return sorted({at for pair in dates for at in pair if at is not None})


def find_flags(cast: Sequence[CastVote], changes: Sequence[datetime]) -> list[Flag]:
    """What the tests say against judges, at most one flag for each test and judge.

    Args:
        cast: oldest first.
        changes: of the roster, ascending.
    """
    reached = _up_to_the_last_look(cast)
    if not reached:
        return []
    agents = sorted({agent for vote in reached for agent in (vote.agent_a, vote.agent_b)})
    judges = sorted({vote.judge for vote in reached})
    agent_place, judge_place = ({name: index for index, name in enumerate(names)} for names in (agents, judges))
    votes = Comparisons(
        agents=len(agents),
        judge=np.array([judge_place[vote.judge] for vote in reached]),
        a=np.array([agent_place[vote.agent_a] for vote in reached]),
        b=np.array([agent_place[vote.agent_b] for vote in reached]),
        outcome=np.array([vote.outcome for vote in reached]),
    )
    period: Integers = np.searchsorted(
        np.array([at.timestamp() for at in changes]), [vote.drawn_at.timestamp() for vote in reached], side="right"
    )
    found = judge_sequences(votes, period=period)
    given = np.bincount(votes.judge, minlength=len(judges))
    return [
        flag
        for row, index in enumerate(found.judge.tolist())
        for flag in _flags_of(found, row, judges[index], int(given[index]), agents)
    ]


def _flags_of(found: JudgeSequences, row: int, judge: str, given: int, agents: Sequence[str]) -> Iterator[Flag]:
    """What each test says of one judge. The first corrects for its looks itself, and a campaign is seen as a whole."""
    looks = sum(look <= given for look in LOOKED_AT)
    after = f"after {given} votes, corrected for the looks"
    surprise = float(found.surprise[row])
    liking, choice = (min(1.0, looks * float(p_value[row])) for p_value in (found.liking, found.choice))
    if looks and surprise < SURPRISE_LEVEL:
        yield Flag(judge, "", f"The votes together are improbable: p = {surprise:.1g} {after}.")
    if looks and liking < LIKING_LEVEL:
        agent, side = agents[int(found.liked[row])], "more" if found.side[row] > 0 else "less"
        yield Flag(judge, agent, f"{agent} gets {side} than it earns from others: p = {liking:.1g} {after}.")
    if looks and choice < CHOICE_LEVEL:
        agent = agents[int(found.chosen[row])]
        yield Flag(judge, agent, f"{agent} is in more votes than chance hands out: p = {choice:.1g} {after}.")
    if likely_members(found.member)[row]:
        about = ", ".join(sorted({agents[campaign.agent] for campaign in found.campaigns}))
        share = float(found.member[row])
        yield Flag(judge, "", f"Many judges together vote as a campaign about {about} would; one of them: {share:.0%}.")


def _up_to_the_last_look(cast: Sequence[CastVote]) -> list[CastVote]:
    """Each judge's first votes, as many as the last look they have reached; all of those who have reached none."""
    given: dict[str, int] = defaultdict(int)
    for vote in cast:
        given[vote.judge] += 1
    most = {
        judge: max((look for look in LOOKED_AT if look <= number), default=number) for judge, number in given.items()
    }
    kept: list[CastVote] = []
    seen: dict[str, int] = defaultdict(int)
    for vote in cast:
        seen[vote.judge] += 1
        if seen[vote.judge] <= most[vote.judge]:
            kept.append(vote)
    return kept
