"""What an operator may see of a battle: what anybody would see who judged as they did."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from battles.models import Battle
from governance.actors import shown_actors
from governance.admin_base import Panel
from governance.withheld import without_names
from judging.identity import current_judge
from judging.models import Exclusion, Offer, Report
from judging.visibility import Visibility, identity_visibility, second_looks_pending

HIDDEN = "hidden until you can no longer judge it blind"
REASON_WORDS = {
    "own_vote_not_locked": "your own vote on it can still be changed",
    "no_own_vote": "it is still judged, and you have not voted on it",
    "second_look_pending": "you are to look at it a second time",
}
#: Of more battles that are still judged it is not asked one by one whether names show; they do not.
ASKED_AT_MOST = 50
PRIVATE = "Its poster has offered it to nobody, so its task and its recording stay theirs."


def seen_by(request: HttpRequest, battle: Battle) -> Visibility:
    """Whether names show to this operator, who is a judge like any other."""
    return identity_visibility(battle, current_judge(request))


def all_seen_by(request: HttpRequest, battles: QuerySet[Battle]) -> bool:
    """Whether names of every one of these battles show to this operator; not where they are too many to ask."""
    viewer = current_judge(request)
    if viewer is not None and second_looks_pending(now=timezone.now(), judge=viewer, battle__in=battles.values("pk")):
        return False
    judged = battles.exclude(state__in=[Battle.State.CLOSED, Battle.State.VOID]).distinct()[: ASKED_AT_MOST + 1]
    return len(judged) <= ASKED_AT_MOST and all(identity_visibility(battle, viewer).names for battle in judged)


def is_private(battle: Battle) -> bool:
    """Whether nobody but its poster reads it: a live battle that was neither offered nor reported."""
    if battle.kind != Battle.Kind.LIVE:
        return False
    offered = Offer.objects.filter(battle=battle).exists()
    return not offered and not Report.objects.filter(battle=battle).exists()


def left_out_panel(changes: Iterable[Exclusion], *, names: bool) -> Panel:
    """When operators left a battle or a vote out, or let it in again, the newest first."""
    changes = list(changes)
    who = shown_actors(change.actor for change in changes)
    rows = [
        (change.at, "left out" if change.excluded else "let in", who[change.actor], said(change.reason, names=names))
        for change in changes
    ]
    return Panel("Left out by hand", ("when", "what", "who", "why"), rows, "Never.")


def said(text: str, *, names: bool) -> str:
    """A text that somebody wrote about a battle; without names where they are hidden."""
    return text if names else without_names(text)
