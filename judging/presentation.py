"""A viewer's own vote and the reveal, as a page shows them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from battles.models import Battle, Lane
from governance.models import Judge
from judging.models import Completion, RepeatCompletion, RepeatVote, Vote
from judging.repeats import second_look, shown_slot
from judging.visibility import identity_visibility
from judging.votes import REASONS, Ballot


@dataclass(frozen=True, slots=True)
class VoteView:
    choice: str
    words: str
    confidence: str
    reasons: list[str]
    note: str
    locked: bool
    locks_at: datetime


def own_vote(battle: Battle, viewer: Judge | None) -> Vote | RepeatVote | None:
    """The viewer's vote; during a second look the second one or none, so that the first does not show."""
    if viewer is None:
        return None
    again = second_look(battle, viewer)
    if again is not None:
        return RepeatVote.objects.filter(assignment=again).select_related("winner").first()
    return Vote.objects.filter(battle=battle, judge=viewer).select_related("winner").first()


def own_completions(vote: Vote | RepeatVote | None) -> dict[uuid.UUID, str]:
    """The viewer's verdicts by lane."""
    if vote is None:
        return {}
    if isinstance(vote, RepeatVote):
        return dict(RepeatCompletion.objects.filter(vote=vote).values_list("lane_id", "verdict"))
    return dict(Completion.objects.filter(vote=vote).values_list("lane_id", "verdict"))


def completions_on_ballot(lanes: list[Lane], ballot: Ballot) -> dict[uuid.UUID, str]:
    """The same for a ballot that was not stored: what it says of each of these lanes."""
    said = {lane.pk: ballot.completions.get(str(lane.pk), "") for lane in lanes}
    return {lane: verdict for lane, verdict in said.items() if verdict}


def vote_view(vote: Vote | RepeatVote | None) -> VoteView | None:
    if vote is None:
        return None
    return VoteView(
        choice=str(vote.winner_id) if vote.winner_id else vote.choice,
        words=choice_words(vote),
        confidence=vote.confidence,
        reasons=vote.reasons,
        note=vote.note,
        locked=vote.is_locked(),
        locks_at=vote.locks_at,
    )


def choice_words(vote: Vote | RepeatVote) -> str:
    """The vote as a sentence fragment: ``A is better``, ``tie``, ``both bad``. Letters are those its judge saw."""
    if vote.winner is not None:
        return f"{shown_slot(vote.winner, swapped=isinstance(vote, RepeatVote))} is better"
    return Vote.Choice(vote.choice).label


def reason_tags() -> list[dict[str, str]]:
    return [{"value": value, "label": label} for value, label in REASONS.items()]


def reveal_view(
    battle: Battle,
    lanes: list[Lane],
    viewer: Judge | None,
    vote: Vote | RepeatVote | None,
    ticker: dict[str, tuple[float, float]],
) -> dict[str, Any] | None:
    """Names and what the vote did, or None while this viewer may not see them.

    Args:
        ticker: points before and after, by agent key, of the viewer's own vote; may be empty.
    """
    if not lanes or not identity_visibility(battle, viewer).names:
        return None
    others: list[str] = []
    if battle.state == Battle.State.CLOSED:
        cast = battle.votes.filter(locked_at__isnull=False).select_related("winner").order_by("locked_at")
        others = [choice_words(other) for other in cast if vote is None or other.pk != vote.pk]
    return {
        "choice_words": choice_words(vote) if vote is not None else "",
        "lanes": [_revealed(lane, ticker.get(lane.agent_id)) for lane in lanes],
        "others": others,
    }


def _revealed(lane: Lane, points: tuple[float, float] | None) -> dict[str, Any]:
    return {
        "slot": lane.slot,
        "agent_name": lane.agent.name,
        "agent_key": lane.agent_id,
        "agent_href": f"/standings/{lane.agent_id}",
        "version": lane.agent_version,
        "ticker_change": _signed(points[1] - points[0]) if points else "",
        "ticker_after": points[1] if points else None,
    }


def _signed(points: float) -> str:
    """Whole points with their sign, or that nothing moved."""
    return f"{points:+.0f}" if abs(points) >= 0.5 else "unchanged"
