"""Gold battles: practice tasks whose outcome a check knows, mixed in unannounced among what judges are handed.

A battle qualifies when the check passed in one lane and failed in the other, nobody has judged it, and nothing in it
names an agent. It is never a public page again.
"""

import uuid
from collections.abc import Collection
from datetime import timedelta

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from battles.hidden import hidden
from battles.models import Attempt, Battle, Lane
from governance.errors import Conflict
from governance.journal import record

#: So many gold battles are kept: at one in twenty handed out they last a judge for four hundred battles.
GOLD_STOCK = 20
#: A practice battle nobody judged in a day is not missed on the public pages.
GOLD_AFTER = timedelta(days=1)


def gold_candidates() -> QuerySet[Battle]:
    """Practice battles that may be made gold, the oldest first."""
    return Battle.objects.filter(
        ~hidden(),
        attempts__in=_with_known_outcome().values("pk"),
        kind=Battle.Kind.PRACTICE,
        state=Battle.State.VOTABLE,
        leak_scan=Battle.Leak.CLEAN,
    ).order_by("votable_at", "pk")


def _with_known_outcome() -> QuerySet[Attempt]:
    """Finished attempts in which the check told the lanes apart."""
    finished = Attempt.objects.filter(outcome=Attempt.Outcome.FINISHED).annotate(
        passed=Count("lanes", filter=Q(lanes__passed=True)), failed=Count("lanes", filter=Q(lanes__passed=False))
    )
    return finished.filter(passed=1, failed=1)


def known_winners(battles: Collection[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
    """The lane in which the check passed while it failed in the other, by battle; others are left out."""
    attempts = _with_known_outcome().filter(battle__in=battles).values("pk")
    return dict(Lane.objects.filter(attempt__in=attempts, passed=True).values_list("attempt__battle_id", "pk"))


@transaction.atomic
def make_gold(*, battle_id: uuid.UUID, actor: str, reason: str) -> Battle:
    """Take a practice battle off the public pages and mix it in among what judges are handed.

    Raises:
        Conflict: ``not_gold``: it does not qualify, or somebody has judged it.
    """
    battle = Battle.objects.select_for_update(no_key=True).get(pk=battle_id)
    if not gold_candidates().filter(pk=battle_id).exists():
        raise Conflict(
            "Only a practice battle that nobody has judged can be gold, and only where the check passed in one lane "
            "and failed in the other.",
            code="not_gold",
        )
    battle.kind = Battle.Kind.GOLD
    battle.save(update_fields=["kind"])
    record(actor=actor, action="battles:battle:make_gold", subject=str(battle.pk), reason=reason)
    return battle


def keep_gold_stocked() -> uuid.UUID | None:
    """Make the oldest practice battle that waited too long for a judge gold, while there are too few."""
    if Battle.objects.filter(kind=Battle.Kind.GOLD).exclude(state=Battle.State.VOID).count() >= GOLD_STOCK:
        return None
    waited = gold_candidates().filter(votable_at__lt=timezone.now() - GOLD_AFTER).first()
    if waited is None:
        return None
    try:
        return make_gold(battle_id=waited.pk, actor="system:practice", reason="Nobody judged it for a day.").pk
    except Conflict:
        # Somebody voted in between: it stays what it is.
        return None
