"""How predicates of theses ask the code: what it does in a given place, what it calls, what the database refuses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from django.db import connection, models

#: How PostgreSQL names the states in which a trigger fires for ordinary sessions.
_FIRING = ("O", "A")


def raises(kind: type[Exception], call: Callable[..., object], *args: Any, **fields: Any) -> bool:
    """Whether a call is refused with an error of this kind."""
    try:
        call(*args, **fields)
    except kind:
        return True
    return False


def given(function: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """The function as it is written, with other things behind some of the names of its module.

    So a use case can be run without a database: rows it reads are planted, rows it writes are caught. Decorators that
    name what they wrap, such as a transaction, are left out.
    """
    plain = inspect.unwrap(function)
    if not isinstance(plain, FunctionType):
        raise TypeError(f"{plain!r} is not written in Python")
    here = FunctionType(plain.__code__, {**plain.__globals__, **names}, None, plain.__defaults__, plain.__closure__)
    here.__kwdefaults__ = plain.__kwdefaults__
    return here


def mentions(function: Callable[..., Any], name: str) -> bool:
    """Whether the function, or one inside it, uses a name: calls it, reads it, or passes it."""
    return any(name in code.co_names for code in _codes(inspect.unwrap(function).__code__))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def frozen(*tables: type[models.Model]) -> bool:
    """Whether the database refuses UPDATE, DELETE and TRUNCATE of these models' tables.

    Asked of the triggers themselves: both are there and fire, and what they run ends in a refusal.
    """
    return all(_frozen(model._meta.db_table) for model in tables)


def _frozen(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.tgname, t.tgenabled, t.tgtype, p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid "
            "WHERE NOT t.tgisinternal AND t.tgrelid = %s::regclass",
            [f'"{table}"'],
        )
        found = {name: (state, events, source) for name, state, events, source in cursor.fetchall()}
    # Bits of pg_trigger.tgtype: before 2, delete 8, update 16, truncate 32.
    needed = {f"{table}_no_change": 2 | 8 | 16, f"{table}_no_truncate": 2 | 32}
    for name, events in needed.items():
        state, fires_on, source = found.get(name, ("D", 0, ""))
        if state not in _FIRING or fires_on & events != events or "RAISE EXCEPTION" not in source:
            return False
    return True


class Anything:
    """Stands for whatever a use case touches that does not matter to the question."""

    def __getattr__(self, name: str) -> Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *args: Any, **fields: Any) -> Anything:
        return Anything()

    def __add__(self, other: Any) -> Anything:
        return self

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]  # nothing keeps it


class Caught:
    """A model whose rows are only remembered: what ``objects.create`` was called with, in order."""

    def __init__(self, model: type[models.Model]) -> None:
        self.rows: list[Mapping[str, Any]] = []
        self._model = model

    @property
    def objects(self) -> Caught:
        return self

    def create(self, **fields: Any) -> Anything:
        self.rows.append(fields)
        return Anything()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


class Planted:
    """A model with these rows and no others: ``filter``, ``exclude`` by ``=`` and ``<=``, ``values_list`` of one."""

    def __init__(self, model: type[models.Model], rows: Sequence[Mapping[str, Any]]) -> None:
        self._model = model
        self._rows = list(rows)

    @property
    def objects(self) -> Planted:
        return self

    def filter(self, **fields: Any) -> Planted:
        return Planted(self._model, [row for row in self._rows if self._fits(row, fields)])

    def exclude(self, **fields: Any) -> Planted:
        return Planted(self._model, [row for row in self._rows if not self._fits(row, fields)])

    @staticmethod
    def _fits(row: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
        for lookup, value in fields.items():
            name, _, up_to = lookup.partition("__")
            there = row[name]
            if not (there == value if up_to != "lte" else there is not None and there <= value):
                return False
        return True

    def values_list(self, name: str, *, flat: bool) -> list[Any]:
        assert flat, "one column at a time"
        return [row[name] for row in self._rows]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)
