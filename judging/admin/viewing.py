"""What an operator may see of a battle: what anybody would see who judged as they did."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import HttpRequest

from battles.models import Battle
from governance.actors import shown_actors
from governance.admin_base import Panel
from governance.withheld import without_names
from judging.identity import current_judge
from judging.models import Exclusion, Offer, Report
from judging.visibility import Visibility, identity_visibility

HIDDEN = "hidden until you can no longer judge it blind"
REASON_WORDS = {
    "own_vote_not_locked": "your own vote on it can still be changed",
    "no_own_vote": "it is still judged, and you have not voted on it",
    "second_look_pending": "you are to look at it a second time",
}
PRIVATE = "Its poster has offered it to nobody, so its task and its recording stay theirs."


def seen_by(request: HttpRequest, battle: Battle) -> Visibility:
    """Whether names show to this operator, who is a judge like any other."""
    return identity_visibility(battle, current_judge(request))


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
