"""Leaks that an operator looks at. What the scan said stays: a battle that leaked rates nobody, whoever looked."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, QuerySet
from django.db.models.functions import Cast

from battles.models import Battle
from governance.errors import Conflict
from governance.identifiers import first_id_at
from governance.journal import record
from governance.models import JournalEntry
from judging.trust import require_reason

REVIEWED = "judging:battle:review_leak"
#: Older leaks have been in the figures of the leak scan for long.
LOOKED_BACK = timedelta(days=14)
LEAKS = (Battle.Leak.LEAKED, Battle.Leak.UNSCANNABLE)


def leaks_to_review(now: datetime) -> QuerySet[Battle]:
    """Battles of the last two weeks in which the scan found a name, or could not look, and nobody has looked since."""
    seen = JournalEntry.objects.filter(subject=Cast(OuterRef("pk"), CharField()), action=REVIEWED)
    recent = Battle.objects.filter(pk__gte=first_id_at(now - LOOKED_BACK), leak_scan__in=LEAKS)
    return recent.exclude(Exists(seen)).order_by("pk")


@transaction.atomic
def review_leak(*, battle: Battle, actor: str, reason: str) -> JournalEntry:
    """Keep what an operator saw in a battle that leaked.

    Raises:
        ReasonNeeded: nothing was said.
        Conflict: the scan found nothing in it.
    """
    reason = require_reason(reason)
    if battle.leak_scan not in LEAKS:
        raise Conflict("The scan found no leak in this battle.", code="no_leak")
    return record(actor=actor, action=REVIEWED, subject=str(battle.pk), reason=reason)
