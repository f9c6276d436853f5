"""What an operator can do from a page of the admin: each act has a reason, calls a use case, and leaves a record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db import OperationalError, models
from django.http import HttpResponseBase

from governance.deadlocks import done_again, is_deadlock
from governance.errors import ArenaError, Conflict
from governance.journal import witnessed
from governance.operators import Ability

#: One act on more rows than this is a program's work, not a person's.
MOST_AT_ONCE = 100
#: As long as a reason may be where the journal keeps it.
REASON_MAX = 500
WHAT_A_REASON_IS = "Kept in the journal for good, with your account's identifier. Name no person and quote no task."


class InTheWay(Conflict):
    """Others did something on the same rows, again and again."""

    code = "in_the_way"

    def __init__(self) -> None:
        super().__init__("Somebody did something on these rows at the same moment. Nothing was done; please try again.")


class NothingDone(Conflict):
    """An act left no row in the journal: somebody did the same meanwhile, and twice is once."""

    code = "nothing_done"

    def __init__(self, row: object) -> None:
        about = "" if row is None else f"{row}: "
        super().__init__(f"{about}this was done already, perhaps just now. Nothing was done; please look again.")


class Unrecorded(Exception):
    """An act left rows in the journal, and none under its operator. A fault of the act; it is undone."""


class ReasonForm(forms.Form):
    """What every act asks for. Acts that ask for more derive from it; their fields come before the reason.

    Args:
        rows: what is acted on; none for an act on no row.
    """

    def __init__(self, *arguments: Any, rows: Sequence[models.Model] = (), **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.rows = rows
        self.fields["reason"] = forms.CharField(
            label="Reason",
            max_length=REASON_MAX,
            help_text=WHAT_A_REASON_IS,
            widget=forms.Textarea(attrs={"rows": 3}),
        )

    def refuse(self, refusal: ArenaError) -> None:
        """Say what the use case said, beside its field where it named one."""
        self.add_error(refusal.field if refusal.field in self.fields else None, refusal.message)


@dataclass(frozen=True, slots=True)
class Preview:
    """What an act would do, shown before it is done: a template with its context.

    Attributes:
        seal: of what it shows. Who confirms sends it back with the act, and what is not what they saw is shown first.
            "" while it is not known yet what the act would do; then nothing can be confirmed.
    """

    template: str
    context: dict[str, Any]
    seal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something an operator can do.

    Attributes:
        name: in its address; a slug.
        words: on its button, an imperative: "Suspend".
        ability: whose role allows it.
        do: calls the use case. ``do(row=, actor=, reason=, **fields)``, or without ``row`` where ``of_rows`` is False.
            An answer that it returns is sent instead of going back.
        meaning: what follows from it, in a sentence or two.
        form: what it asks for.
        of_rows: whether it is about rows; otherwise it is offered above the list.
        fits: whether it is offered for a row. The use case decides all the same.
        preview: what it would do, ``preview(rows=, request=, **fields)``. Where there is one it is shown, and
            confirmed, before anything is done.
    """

    name: str
    words: str
    ability: Ability
    do: Callable[..., Any]
    meaning: str = ""
    form: type[ReasonForm] = ReasonForm
    of_rows: bool = True
    fits: Callable[[Any], bool] = lambda row: True
    preview: Callable[..., Preview] | None = None


def confirmation(act: Act, preview: Preview) -> str:
    """What confirms this act as it was shown, and no other act that would do the same to the ranks; hexadecimal."""
    return hashlib.sha256(f"{act.name} {preview.seal}".encode()).hexdigest()


def perform(act: Act, *, rows: Sequence[models.Model], actor: str, values: dict[str, Any]) -> HttpResponseBase | None:
    """Do an act on every row, all of them or none, and hold each to its record.

    An act on many rows holds what it has locked until the last of them, and somebody who votes meanwhile may wait for
    one lock and hold another. PostgreSQL ends one of the two; where it was the act, it is done again.

    Raises:
        ArenaError: a use case refused one of them; nothing is done.
        InTheWay: again and again somebody did something on the same rows; nothing is done.
        NothingDone: one of them had been done already; nothing is done.
        Unrecorded: one of them left rows in the journal under other actors alone; nothing is done.
    """
    try:
        return _perform(act, rows, actor, values)
    except OperationalError as stopped:
        if is_deadlock(stopped):
            raise InTheWay from stopped
        raise


@done_again
def _perform(act: Act, rows: Sequence[models.Model], actor: str, values: dict[str, Any]) -> HttpResponseBase | None:
    answer: HttpResponseBase | None = None
    for about in [{"row": row} for row in rows] if act.of_rows else [{}]:
        with witnessed() as entries:
            given = act.do(**about, actor=actor, **values)
        if not entries:
            raise NothingDone(about.get("row"))
        if not any(entry.actor == actor for entry in entries):
            raise Unrecorded(f"{act.name} left no record")
        answer = given if isinstance(given, HttpResponseBase) else answer
    return answer
