"""Choosing what leaves: every universe of rows, held against withdrawal, consent and the rules of the apps.

Runs in the transaction that the snapshot is read in; the temporary tables go with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from governance.exports import (
    NO_CONSENT,
    NOT_BEFORE,
    WITHDRAWN,
    ExportUniverse,
    preparations,
    rules,
    universes,
)

#: Identifiers that are read or written at once.
FETCHED = 10_000

Counts = dict[str, dict[str, int]]

#: Texts that name the operator of today and whose scope has the word. The local sentence names nobody.
_COVERED = """
    SELECT receipt.id FROM governance_consentreceipt receipt
    JOIN governance_consenttext text ON text.version = receipt.text_id
    WHERE text.grantee <> '' AND text.grantee = %(grantee)s
      AND %(scope)s = ANY (regexp_split_to_array(text.scope, '\\s*,\\s*'))
"""


def parameters(at: datetime, further: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Values that every statement may name."""
    return {"at": at, "grantee": settings.ARENA_LEGAL_NAME, **(further or {})}


def hold_to(identifiers: Iterable[UUID]) -> None:
    """Choose in this transaction, of what grows, only what a replaced snapshot had."""
    left = iter(identifiers)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS pg_temp.snapshot_before")
        cursor.execute("CREATE TEMPORARY TABLE snapshot_before (id uuid) ON COMMIT DROP")
        while some := list(itertools.islice(left, FETCHED)):
            cursor.execute("INSERT INTO snapshot_before SELECT unnest(%s::uuid[])", [some])
        cursor.execute("CREATE INDEX ON snapshot_before (id)")
        cursor.execute("ANALYZE snapshot_before")


def chosen_that_grows() -> bytes:
    """Identifiers of what was chosen and may be more at a later reading, 16 bytes each."""
    found = bytearray()
    for universe in universes():
        if universe.grows:
            with connection.chunked_cursor() as cursor:
                cursor.execute(f"SELECT id FROM snapshot_{universe.of}")  # noqa: S608
                while rows := cursor.fetchmany(FETCHED):
                    for (identifier,) in rows:
                        found += identifier.bytes
    return bytes(found)


def choose(at: datetime, *, prepare: bool = True, held: bool = False) -> Counts:
    """Make ``snapshot_<of>`` for every universe, and what the apps prepare for their tables.

    Args:
        held: keep back of what grows whatever is not in what :func:`hold_to` was given.

    Returns:
        By universe: how many rows leave without their texts (``private``), and how many are held back by reason.
    """
    counts = {universe.of: _choose(universe, at, held=held and universe.grows) for universe in universes()}
    for each in preparations() if prepare else ():
        each(at)
    return counts


def _choose(universe: ExportUniverse, at: datetime, *, held: bool) -> dict[str, int]:
    of = universe.of
    values = parameters(at, universe.values)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS pg_temp.snapshot_{of}")
        cursor.execute(
            f"""CREATE TEMPORARY TABLE candidate_{of} ON COMMIT DROP AS
            SELECT id, receipt, judge, FALSE AS private,
                   CASE WHEN withdrawn THEN '{WITHDRAWN[0]}' ELSE '' END AS reason
            FROM ({universe.statement}) AS found""",  # noqa: S608
            values,
        )
        if universe.scope:
            cursor.execute(
                f"""UPDATE candidate_{of} SET reason = '{NO_CONSENT[0]}'
                WHERE reason = '' AND judge IS NOT NULL
                  AND NOT EXISTS (SELECT FROM ({_COVERED}) AS covered WHERE covered.id = receipt)""",  # noqa: S608
                values | {"scope": universe.scope},
            )
        for rule in rules(of):
            change = "private = TRUE" if rule.only_texts else f"reason = '{rule.reason}'"
            cursor.execute(
                f"UPDATE candidate_{of} SET {change} WHERE reason = '' AND id IN ({rule.statement})",  # noqa: S608
                parameters(at, rule.values),
            )
        if held:
            cursor.execute(
                f"""UPDATE candidate_{of} SET reason = '{NOT_BEFORE[0]}'
                WHERE reason = '' AND NOT EXISTS (
                    SELECT FROM snapshot_before before WHERE before.id = candidate_{of}.id)"""  # noqa: S608
            )
        cursor.execute(
            f"""CREATE TEMPORARY TABLE snapshot_{of} ON COMMIT DROP AS
            SELECT id, receipt, judge, private FROM candidate_{of} WHERE reason = ''"""  # noqa: S608
        )
        cursor.execute(f"CREATE UNIQUE INDEX ON snapshot_{of} (id)")
        cursor.execute(f"ANALYZE snapshot_{of}")
        cursor.execute(
            f"""SELECT reason, count(*) FROM candidate_{of} WHERE reason <> '' GROUP BY reason
            UNION ALL SELECT 'private', count(*) FROM snapshot_{of} WHERE private""",  # noqa: S608
        )
        counts = {reason: count for reason, count in sorted(cursor.fetchall()) if count}
        cursor.execute(f"DROP TABLE candidate_{of}")
    return counts


def chosen_digests() -> dict[str, str]:
    """By universe, what tells two choices apart: how many rows, and the sum of their hashes."""
    with connection.cursor() as cursor:
        found = {}
        for universe in universes():
            cursor.execute(
                f"""SELECT count(*) || ':' || coalesce(sum(hashtextextended(id::text || private, 0)), 0)
                FROM snapshot_{universe.of}"""  # noqa: S608
            )
            found[universe.of] = str(cursor.fetchone()[0])
        return found


def shares() -> list[tuple[str, str, int]]:
    """Who gave what is chosen: judge, kind of label, and how many."""
    found: list[tuple[str, str, int]] = []
    with connection.cursor() as cursor:
        for universe in universes():
            if universe.counts_for:
                cursor.execute(
                    f"SELECT judge, count(*) FROM snapshot_{universe.of} WHERE judge IS NOT NULL GROUP BY judge"  # noqa: S608
                )
                found += [(judge, universe.counts_for, count) for judge, count in cursor.fetchall()]
    return found


def consent_versions() -> list[int]:
    """Versions of the consent texts that cover what is chosen."""
    covered = [universe.of for universe in universes() if universe.scope]
    chosen = " UNION ".join(f"SELECT receipt FROM snapshot_{of}" for of in covered)  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT text_id FROM governance_consentreceipt WHERE id IN ({chosen}) ORDER BY text_id"  # noqa: S608
        )
        return [version for (version,) in cursor.fetchall()]
