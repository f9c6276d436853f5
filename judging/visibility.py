"""Who may see which agents ran: one function decides for pages, API, admin and exports alike."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from battles.models import Battle
from governance.models import Judge
from judging.models import REVISABLE_FOR, Assignment, Offer, RepeatVote, Vote

#: A battle that did not come back for its second look in this time does not come back, and its names show.
REPEAT_WITHIN = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Visibility:
    """Whether names show, and why. ``reason`` is a stable code."""

    names: bool
    reason: str


HIDDEN_NOT_LOCKED = Visibility(names=False, reason="own_vote_not_locked")
HIDDEN_NO_VOTE = Visibility(names=False, reason="no_own_vote")
HIDDEN_COMES_BACK = Visibility(names=False, reason="second_look_pending")
SHOWN_OWN_LOCK = Visibility(names=True, reason="own_vote_locked")
SHOWN_CLOSED = Visibility(names=True, reason="battle_closed")


def identity_visibility(battle: Battle, viewer: Judge | None, *, now: datetime | None = None) -> Visibility:
    """Decide whether ``viewer`` may see the names of this battle's agents.

    Names show when the viewer's own vote is locked, or when the battle is closed or void; a judge who is to look at
    the same recordings a second time sees them after that. Every other branch hides.
    """
    now = now or timezone.now()
    if battle.state == Battle.State.VOID:
        return SHOWN_CLOSED
    if viewer is not None and second_look_pending(battle, viewer, now=now):
        return HIDDEN_COMES_BACK
    if battle.state == Battle.State.CLOSED:
        return SHOWN_CLOSED
    vote = Vote.objects.filter(battle=battle, judge=viewer).first() if viewer is not None else None
    if vote is None:
        return HIDDEN_NO_VOTE
    return SHOWN_OWN_LOCK if vote.is_locked(now) else HIDDEN_NOT_LOCKED


def second_look_pending(battle: Battle, viewer: Judge, *, now: datetime) -> bool:
    """Whether this judge is to judge the same recordings again, and has neither done so nor declined.

    It is settled by a locked second vote, by skipping, reporting or marking at the second look, and by time. A
    lease that ran out settles nothing while there is time.
    """
    return bool(second_looks_pending(now=now, battle=battle, judge=viewer))


def second_looks_pending(*, now: datetime, **about: Any) -> set[tuple[uuid.UUID, str]]:
    """Every battle, with its judge, of which :func:`second_look_pending` is true; as few questions as for one.

    Args:
        about: of which first looks, as a filter of assignments; of all of them by default.
    """
    looks = Assignment.objects.filter(comes_back=True, outcome=Assignment.Outcome.VOTED, **about)
    marked = list(looks)
    if not marked:
        return set()
    seconds = {look.first_id: look for look in Assignment.objects.filter(first__in=looks.values("pk"))}
    locked = Q(locked_at__isnull=False) | Q(cast_at__lte=now - REVISABLE_FOR)
    repeats = RepeatVote.objects.filter(locked, battle__in=looks.values("battle"))
    settled = set(repeats.values_list("battle_id", "judge_id"))
    keys = ((look, (look.battle_id, look.judge_id)) for look in marked)
    return {key for look, key in keys if _waits(look, seconds.get(look.pk), voted=key in settled, now=now)}


def _waits(marked: Assignment, second: Assignment | None, *, voted: bool, now: datetime) -> bool:
    if second is None or second.outcome == Assignment.Outcome.EXPIRED:
        return now < marked.leased_at + REPEAT_WITHIN
    if second.outcome == Assignment.Outcome.OPEN:
        return now < max(second.leased_until, marked.leased_at + REPEAT_WITHIN)
    return second.outcome == Assignment.Outcome.VOTED and not voted


def blindness_over(battle: Battle, *, now: datetime | None = None) -> bool:
    """Whether nobody judges this battle blind any more, so that what follows from its votes may show.

    Its seats are all locked; or it was never offered, so that there is no judge but its submitter, whose vote is final.
    A judge who is to look a second time is blind until that is settled. A void battle has nothing to show.
    """
    now = now or timezone.now()
    if battle.state != Battle.State.CLOSED:
        never_offered = battle.kind == Battle.Kind.LIVE and not Offer.objects.filter(battle=battle).exists()
        final = battle.votes.filter(by_submitter=True, locked_at__isnull=False)
        if battle.state != Battle.State.RESOLVED or not never_offered or not final.exists():
            return False
    return not second_looks_pending(now=now, battle=battle)
