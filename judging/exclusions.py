"""Leaving a battle or a label out of the rated corpus by an operator's decision, and letting it in again.

A battle left out counts among those that never ran, a label among those that are not admissible. Either stays as it is
otherwise: it is shown, exported with the reason, and counted among what does not rate.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from battles.models import Battle
from governance.errors import Conflict
from governance.journal import record
from judging.models import Exclusion, HeldLabel, Vote
from judging.trust import require_reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What an exclusion would do to the ranks, or how far it is worked out.

    Attributes:
        boards: the effect on each board that it would change, theirs to show who know ranks; None while it is worked
            out.
        as_of: when the boards were read.
        seal: of exactly these rows and this effect, for whoever confirms them; "" while there is no effect.
        since, progress: while it is worked out.
    """

    boards: Any = None
    as_of: datetime | None = None
    seal: str = ""
    since: datetime | None = None
    progress: str = ""


#: How the effect is worked out, of battles and votes, for an actor.
Effect = Callable[[Collection[Battle], Collection[Vote], str], Foreseen]

#: How the effect of releasing held labels is worked out, for an actor.
ReleaseEffect = Callable[[Collection[HeldLabel], str], Foreseen]

_effects: list[Effect] = []
_release_effects: list[ReleaseEffect] = []


def register_effect(effect: Effect) -> None:
    """Say how the effect of leaving battles and votes out is worked out, before anything is left out."""
    _effects[:] = [effect]


def effect_of(*, actor: str, battles: Collection[Battle] = (), votes: Collection[Vote] = ()) -> Foreseen:
    """What leaving these out would do. Ratings, which know ranks, have said how that is worked out."""
    return _effects[0](battles, votes, actor)


def register_release_effect(effect: ReleaseEffect) -> None:
    """Say how the effect of letting held labels rate again is worked out, before they are decided."""
    _release_effects[:] = [effect]


def effect_of_release(*, held: Collection[HeldLabel], actor: str) -> Foreseen:
    """What releasing these would do, against now, when they rate nobody.

    Raises:
        Conflict: one of them was decided already.
    """
    if HeldLabel.objects.filter(pk__in=[hold.pk for hold in held]).exclude(decision="").exists():
        raise Conflict("One of these was decided already.", code="already_decided")
    return _release_effects[0](held, actor)


@transaction.atomic
def exclude_battle(*, battle: Battle, actor: str, reason: str) -> Exclusion:
    """Leave a battle, with all of its labels, out of every fit from the next one on.

    Raises:
        ReasonNeeded: no reason was given.
        Conflict: it is left out already.
    """
    battle = Battle.objects.select_for_update(no_key=True).get(pk=battle.pk)
    return _change(Exclusion(battle=battle, excluded=True), battle, "judging:battle:exclude", actor, reason)


@transaction.atomic
def readmit_battle(*, battle: Battle, actor: str, reason: str) -> Exclusion:
    """Let a battle in again that was left out; other rules may still keep it from rating.

    Raises:
        ReasonNeeded: no reason was given.
        Conflict: it is not left out.
    """
    battle = Battle.objects.select_for_update(no_key=True).get(pk=battle.pk)
    return _change(Exclusion(battle=battle, excluded=False), battle, "judging:battle:readmit", actor, reason)


@transaction.atomic
def exclude_vote(*, vote: Vote, actor: str, reason: str) -> Exclusion:
    """Leave one label out of every fit from the next one on.

    Raises:
        ReasonNeeded: no reason was given.
        Conflict: it is left out already.
    """
    vote = Vote.objects.select_for_update(no_key=True).get(pk=vote.pk)
    return _change(Exclusion(vote=vote, excluded=True), vote, "judging:vote:exclude", actor, reason)


@transaction.atomic
def readmit_vote(*, vote: Vote, actor: str, reason: str) -> Exclusion:
    """Let a label in again that was left out; other rules may still keep it from rating.

    Raises:
        ReasonNeeded: no reason was given.
        Conflict: it is not left out.
    """
    vote = Vote.objects.select_for_update(no_key=True).get(pk=vote.pk)
    return _change(Exclusion(vote=vote, excluded=False), vote, "judging:vote:readmit", actor, reason)


def _change(change: Exclusion, about: Battle | Vote, action: str, actor: str, reason: str) -> Exclusion:
    change.reason, change.actor = require_reason(reason), actor
    if is_left_out(about) == change.excluded:
        words = "It is left out already." if change.excluded else "It is not left out."
        raise Conflict(words, code="already_left_out" if change.excluded else "not_left_out")
    change.save(force_insert=True)
    record(actor=actor, action=action, subject=str(change.battle_id or change.vote_id), reason=change.reason)
    return change


def is_left_out(about: Battle | Vote) -> bool:
    """Whether an operator's exclusion of this battle or vote is in force."""
    latest = about.exclusions.order_by("-id").first()
    return latest is not None and latest.excluded


def not_left_out(votes: QuerySet[Vote]) -> QuerySet[Vote]:
    """Those that no exclusion in force is about, nor about their battle."""
    of_vote = Exclusion.objects.filter(vote=OuterRef("pk")).order_by("-id").values("excluded")[:1]
    of_battle = Exclusion.objects.filter(battle=OuterRef("battle")).order_by("-id").values("excluded")[:1]
    told = votes.alias(
        left_out=Coalesce(Subquery(of_vote), Value(False)), battle_left_out=Coalesce(Subquery(of_battle), Value(False))
    )
    return told.filter(left_out=False, battle_left_out=False)
