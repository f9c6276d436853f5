"""The lexicon as the database holds it, and the copy of it that this process works with."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from django.apps import apps
from django.db import connections, transaction
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from battles.blindness.lexicon import (
    Lexicon,
    Name,
    core_pattern,
    lexicon_with_roster,
    read_lexicon_from,
    roster_spelling,
)

#: A new agent's names reach every process within this time; the process that rosters it knows them at once. Reading
#: them anew for every write would cost a query each.
FRESH_SECONDS = 5.0


class _Kept:
    """The lexicon read last, and until when it is good."""

    lexicon: Lexicon | None = None
    until = 0.0


def stored_lexicon() -> Lexicon:
    """The maintained names and every name that ever joined from the roster."""
    lexicon = _Kept.lexicon
    if lexicon is None or time.monotonic() >= _Kept.until:
        lexicon = lexicon_with_roster(_roster_names())
        _Kept.lexicon, _Kept.until = lexicon, time.monotonic() + FRESH_SECONDS
    return lexicon


def forget_lexicon() -> None:
    """Read the table anew at the next use: what holds it has changed, or a test has."""
    _Kept.lexicon = None


read_lexicon_from(stored_lexicon)


def sync_lexicon(names: Iterable[str]) -> int:
    """Let names join: of agents, providers, versions. Everyday words and bare numbers do not.

    Also brings the maintained names in the table up to the code's. Returns how many names are new.
    """
    table = _table()
    joining = {spelling for spelling in map(roster_spelling, names) if spelling}
    lexicon = lexicon_with_roster(joining.union(_roster_names()))
    refused = lexicon.refused_names()
    known = dict(table.objects.values_list("name", "pattern"))
    rows = [_row(table, name, lexicon, refused) for name in sorted({*refused, *lexicon.roster})]
    changed = [row for row in rows if known.get(row.name) != row.pattern]
    with transaction.atomic():
        table.objects.bulk_create(
            changed, update_conflicts=True, unique_fields=["name"], update_fields=["pattern", "frame", "origin"]
        )
        table.objects.filter(origin=table.Origin.MAINTAINED).exclude(name__in=refused).delete()
        transaction.on_commit(forget_lexicon)
    forget_lexicon()
    return len([row for row in changed if row.name not in known])


def _row(table: Any, spelling: str, lexicon: Lexicon, refused: Mapping[str, Name]) -> Any:
    name = refused.get(spelling)
    return table(
        name=spelling,
        pattern=core_pattern(spelling) if name else "",
        frame=name.frame if name else "",
        origin=table.Origin.ROSTER if spelling in lexicon.roster else table.Origin.MAINTAINED,
    )


def _table() -> Any:
    """Looked up late: the models import the fields, and the fields this."""
    return apps.get_model("battles", "LexiconName")


def _roster_names() -> list[str]:
    table = _table()
    return list(table.objects.filter(origin=table.Origin.ROSTER).values_list("name", flat=True))


@receiver(post_migrate, dispatch_uid="battles maintained lexicon")
def fill_after_migrating(sender: Any, using: str, **_: Any) -> None:
    """The maintained names belong to the code, so every migrate brings them up to it."""
    if getattr(sender, "label", "") != "battles":
        return
    with connections[using].cursor() as cursor:
        if _table()._meta.db_table in connections[using].introspection.table_names(cursor):
            sync_lexicon(())
