"""The bar under a battle: what its viewer picked, what is stored, and whether it can still be said or changed."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from arena_site.rubric_text import how_to_judge
from arena_site.views.consenting import consent_view
from battles.imagery.masks import sees_originals
from battles.models import Battle, Lane
from battles.presentation import BattleView, battle_view, shown_lanes
from governance.models import Judge
from judging.models import Assignment, RepeatVote, Vote
from judging.pool import OPEN_STATES, shown_kind
from judging.presentation import completions_on_ballot, own_completions, own_vote, reason_tags, vote_view
from judging.repeats import second_look, shown_slot
from judging.rubric import current_rubric
from judging.seats import SEATLESS, seats_taken
from judging.votes import Ballot


@dataclass(frozen=True, slots=True)
class LeaseView:
    """A judge's half hour with a battle that is not theirs.

    Attributes:
        state: ``running``; ``over``: it ran out and nobody else has the seat; ``taken``: somebody else has.
        seconds: left, 0 when over.
        until: when it ends or ended.
    """

    state: str
    seconds: int
    until: datetime

    @property
    def minutes(self) -> int:
        return max(1, round(self.seconds / 60))


@dataclass(frozen=True, slots=True)
class PickView:
    """A lane as a vote names it."""

    id: str
    slot: str
    my_completion: str | None


@dataclass(frozen=True, slots=True)
class Ground:
    """What of a battle and its viewer both the bar and the page above it are made of.

    Attributes:
        again: whether it is the viewer's second look, which is shown with swapped slots.
        lease: the viewer's half hour with it, whether it shows or not.
        completions: the viewer's verdicts by lane, as stored or as just refused.
    """

    battle: Battle
    viewer: Judge | None
    lanes: list[Lane]
    cast: Vote | RepeatVote | None
    again: bool
    lease: LeaseView | None
    completions: dict[uuid.UUID, str]


def ground_of(battle: Battle, viewer: Judge | None, ballot: Ballot | None) -> Ground:
    lanes, cast = shown_lanes(battle), own_vote(battle, viewer)
    return Ground(
        battle=battle,
        viewer=viewer,
        lanes=lanes,
        cast=cast,
        again=second_look(battle, viewer) is not None,
        lease=lease_view(battle, viewer),
        completions=completions_on_ballot(lanes, ballot) if ballot else own_completions(cast),
    )


def vote_bar_context(battle: Battle, viewer: Judge | None, ballot: Ballot | None = None) -> dict[str, Any]:
    """What the bar alone shows: neither steps nor pictures are read for it.

    Args:
        ballot: what was just refused; else the stored vote shows.
    """
    ground = ground_of(battle, viewer, ballot)
    shown = shown_battle(ground, original=sees_originals(battle.task, viewer))
    return bar_of(ground, ballot) | {"battle": shown, "lanes": _picks(ground)}


def bar_of(ground: Ground, ballot: Ballot | None) -> dict[str, Any]:
    """What a bar shows of the vote, without the battle and its lanes."""
    battle, cast, lease = ground.battle, ground.cast, ground.lease
    stored = vote_view(cast)
    unlocked = cast is None or not cast.is_locked()
    may_vote = (battle.state in OPEN_STATES or ground.again) and unlocked
    return {
        "may_vote": may_vote and (cast is not None or lease is None or lease.state != "taken"),
        "vote": stored,
        "ballot": ballot or stored,
        "locks_in": max(0, int((cast.locks_at - timezone.now()).total_seconds())) if cast else 0,
        "idempotency_key": secrets.token_urlsafe(16),
        "reason_tags": reason_tags(),
        "lease": lease if unlocked and cast is None else None,
        "consent": consent_view(ground.viewer),
        "rubric": how_to_judge(current_rubric()),
    }


def shown_battle(ground: Ground, *, original: bool) -> BattleView:
    """The battle as its judges may know it: neither gold nor a second look can be told."""
    view = replace(battle_view(ground.battle, original=original), kind=shown_kind(ground.battle))
    return replace(view, state=Battle.State.VOTABLE, closed_at=None) if ground.again else view


def _picks(ground: Ground) -> Sequence[PickView]:
    picks = [
        PickView(str(lane.pk), shown_slot(lane, swapped=ground.again), ground.completions.get(lane.pk))
        for lane in ground.lanes
    ]
    return sorted(picks, key=lambda pick: pick.slot)


def lease_view(battle: Battle, viewer: Judge | None) -> LeaseView | None:
    """The viewer's half hour with this battle; None where it needs none."""
    if viewer is None or battle.kind == Battle.Kind.PRACTICE or battle.task.judge_id == viewer.pk:
        return None
    held = Assignment.objects.filter(battle=battle, judge=viewer).order_by("-leased_at").first()
    if held is None:
        return None
    now = timezone.now()
    if held.outcome == Assignment.Outcome.OPEN and held.leased_until > now:
        return LeaseView("running", int((held.leased_until - now).total_seconds()), held.leased_until)
    lost = held.swapped or (
        battle.kind not in SEATLESS and seats_taken(battle, by_others_than=viewer, now=now) >= battle.judges_needed
    )
    return LeaseView("taken" if lost else "over", 0, held.leased_until)
