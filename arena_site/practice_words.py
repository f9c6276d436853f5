"""What a practice battle teaches its judge: what the site's own check found, and what the rubric makes of that."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from battles.models import Battle, Lane, Task
from judging.models import Completion, RepeatVote, Vote
from judging.presentation import choice_words

#: How the check works, by what the task asks for.
CHECK_LOOKS_AT = {
    Task.Kind.ANSWER: "The site knows the right answer, and compared it with what each run said at the end.",
    Task.Kind.ACTION: "The site looked at what each run left behind on it, whatever the run said of itself.",
}
#: What a judge says of a lane that says the opposite of a check that passed, or did not.
CONTRADICTS = {True: Completion.Verdict.NOT_DONE, False: Completion.Verdict.DONE}


@dataclass(frozen=True, slots=True)
class LaneLesson:
    """One lane: whether the check passed, and how that compares with what the judge said (empty: said nothing)."""

    slot: str
    passed: bool
    said: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """Why the runs of a practice battle came out as they did; ``judged`` compares the judge's own choice."""

    checked: str
    lanes: tuple[LaneLesson, ...]
    verdict: str
    judged: str


def lesson(
    battle: Battle, lanes: Sequence[Lane], vote: Vote | RepeatVote | None, completions: Mapping[uuid.UUID, str]
) -> Lesson | None:
    """The explanation of a practice battle; None for any other, and where the check did not run in both lanes."""
    if battle.kind != Battle.Kind.PRACTICE or len(lanes) != 2 or any(lane.passed is None for lane in lanes):
        return None
    return Lesson(
        checked=CHECK_LOOKS_AT[Task.Kind(battle.task.kind)],
        lanes=tuple(
            LaneLesson(lane.slot, bool(lane.passed), _said(bool(lane.passed), completions.get(lane.pk, "")))
            for lane in lanes
        ),
        verdict=_verdict(lanes),
        judged=_judged(lanes, vote) if vote is not None else "",
    )


def _said(passed: bool, verdict: str) -> str:
    if not verdict:
        return ""
    words = Completion.Verdict(verdict).label
    return f"you said {words}, the check says otherwise" if verdict == CONTRADICTS[passed] else f"you said {words}"


def _verdict(lanes: Sequence[Lane]) -> str:
    did = [lane.slot for lane in lanes if lane.passed]
    if len(did) == 1:
        other = next(lane.slot for lane in lanes if not lane.passed)
        return f"The first rule decides: {did[0]} did the task and {other} did not, so {did[0]} is better."
    if did:
        return (
            "Both did the task, so the first rule does not decide. Tie is a fair verdict; so is the run with fewer "
            "detours, if they would have bothered you."
        )
    return "Neither did the task. Both bad is a fair verdict; so is the run that got further."


def _judged(lanes: Sequence[Lane], vote: Vote | RepeatVote) -> str:
    said = choice_words(vote)
    did = [lane for lane in lanes if lane.passed]
    if len(did) == 1:
        if vote.winner_id == did[0].pk:
            return f"You said {said}, as the check would."
        if vote.winner_id is None:
            return f"You said {said}. Where one run did the task and the other did not, choose the one that did."
        return f"You said {said}. Look again at how {did[0].slot} ends: that run is the one that did it."
    if did and vote.choice == Vote.Choice.BOTH_BAD:
        return f"You said {said}. Both bad is for runs of no use to you, and both of these did the task."
    if not did and vote.choice == Vote.Choice.TIE:
        return f"You said {said}. Tie is for two runs that both did it; two that did not are both bad."
    return f"You said {said}, which is fair."
