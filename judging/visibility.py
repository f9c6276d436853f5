"""Who may see which agents ran: one function decides for pages, API, admin and exports alike."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from battles.models import Battle
from governance.models import Judge
from judging.models import Vote


@dataclass(frozen=True, slots=True)
class Visibility:
    """Whether names show, and why. ``reason`` is a stable code."""

    names: bool
    reason: str


HIDDEN_NOT_LOCKED = Visibility(names=False, reason="own_vote_not_locked")
HIDDEN_NO_VOTE = Visibility(names=False, reason="no_own_vote")
SHOWN_OWN_LOCK = Visibility(names=True, reason="own_vote_locked")
SHOWN_CLOSED = Visibility(names=True, reason="battle_closed")


def identity_visibility(battle: Battle, viewer: Judge | None, *, now: datetime | None = None) -> Visibility:
    """Decide whether ``viewer`` may see the names of this battle's agents.

    Names show when the viewer's own vote is locked, or when the battle is closed or void. Every other
    branch hides.
    """
    if battle.state in {Battle.State.CLOSED, Battle.State.VOID}:
        return SHOWN_CLOSED
    if viewer is None:
        return HIDDEN_NO_VOTE
    vote = Vote.objects.filter(battle=battle, judge=viewer).first()
    if vote is None:
        return HIDDEN_NO_VOTE
    if vote.is_locked(now or timezone.now()):
        return SHOWN_OWN_LOCK
    return HIDDEN_NOT_LOCKED
