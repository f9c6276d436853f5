"""Which changes of state enter the ledger, and what of them is public.

A change enters when its journal row is written, if its action is registered here. Apps above register theirs in a
module named ``ledger_kinds.py``, which is found when Django starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from governance.models import JournalEntry

#: Words that may stand in the public part of an entry: codes and digests, nothing that a person wrote.
_CODE = re.compile(r"[a-z0-9][a-z0-9 _:.-]{0,79}")


class NotPublic(Exception):
    """Something that nobody has decided to publish was about to enter the ledger."""


@dataclass(frozen=True, slots=True)
class Content:
    """A stored row whose content the ledger names by its digest.

    Args:
        row: what the journal calls it: the subject of the row that entered it.
        digest: SHA-256 of its public content as it is stored now, in hexadecimal.
        problem: what else is wrong with the row, in words; nothing if it is sound.
    """

    row: str
    digest: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class LedgerKind:
    """One kind of change that enters the ledger.

    Args:
        action: of its journal rows.
        words: what happened, for people.
        detail: names in the journal row's detail that are public. Counts and codes only; the rest stays out.
        contents: the stored rows that each must have an entry of this kind, where the content is public by its digest;
            with identifiers, only those, in the journal's spelling.
        told: for changes of rules and of the roster: what happened, from the journal row that the entry commits to, as
            the public changelog says it. None: the changelog leaves such changes out.
    """

    action: str
    words: str
    detail: tuple[str, ...] = ()
    contents: Callable[[Iterable[str] | None], Iterable[Content]] | None = None
    told: Callable[[JournalEntry], str] | None = None

    def subject(self, journal: JournalEntry) -> str | None:
        """The digest of the public content that a journal row is about; none where nothing of it is public."""
        if self.contents is None:
            return None
        found = next(iter(self.contents([journal.subject])), None)
        return found.digest if found else None

    def public_detail(self, journal: JournalEntry) -> dict[str, Any]:
        """What of the journal row's detail is public.

        Raises:
            NotPublic: a value is neither a count, a code nor a mapping of codes to counts.
        """
        return {name: _public(journal.detail[name]) for name in self.detail if name in journal.detail}


def _public(value: Any) -> Any:
    if isinstance(value, Mapping) and all(_CODE.fullmatch(name) for name in value):
        return {name: _count_or_code(found) for name, found in value.items()}
    return _count_or_code(value)


def _count_or_code(value: Any) -> bool | int | str | None:
    if value is None or isinstance(value, bool | int) or (isinstance(value, str) and _CODE.fullmatch(value)):
        return value
    raise NotPublic(f"a {type(value).__name__} in the detail of a journal row is neither a count nor a code")


_kinds: dict[str, LedgerKind] = {}


def register_ledger_kind(kind: LedgerKind) -> None:
    """Make journal rows of an action enter the ledger from now on."""
    _kinds[kind.action] = kind


def ledger_kinds() -> dict[str, LedgerKind]:
    """Every kind by its action, sorted."""
    return {action: _kinds[action] for action in sorted(_kinds)}
