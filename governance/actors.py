"""Actors of the journal as operators read them: a key that names nobody, and since when nobody is behind it.

Rows of the journal never change, so that whoever was erased is found by the judge's own row.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Substr

from governance.models import Judge

#: How an actor begins that is a judge.
JUDGE = "judge:"


def actor_words(actor: str, erased_at: datetime | None) -> str:
    """``judge:5f0c... (erased 2026-03-28 22:30 UTC)``, or the actor as it is."""
    return actor if erased_at is None else f"{actor} (erased {erased_at:%Y-%m-%d %H:%M} UTC)"


def shown_actors(actors: Iterable[str]) -> dict[str, str]:
    """Each actor in the words of :func:`actor_words`, by one query for all."""
    known = set(actors)
    judges = [actor.removeprefix(JUDGE) for actor in known if actor.startswith(JUDGE)]
    found = Judge.objects.filter(pk__in=judges, erased_at__isnull=False).values_list("pk", "erased_at")
    erased = {f"{JUDGE}{judge}": at for judge, at in found}
    return {actor: actor_words(actor, erased.get(actor)) for actor in known}


def shown_actor(actor: str) -> str:
    """One actor in those words."""
    return shown_actors([actor])[actor]


def with_erased_actors(rows: QuerySet[Any], column: str = "actor") -> QuerySet[Any]:
    """Rows with ``<column>_erased_at``: when the judge who acted was erased, or None; for lists and exports."""
    judges = Judge.objects.filter(pk=Substr(OuterRef(column), len(JUDGE) + 1))
    found: QuerySet[Any] = rows.annotate(**{f"{column}_erased_at": Subquery(judges.values("erased_at")[:1])})
    return found
