"""Markup that is escaped by construction.

A template is a constant with named places; whatever is put in a place is escaped unless it is
:class:`Html` already. So a page cannot forget to escape what a visitor typed.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from html import escape
from typing import Any


class Html(str):
    """Text that is markup and goes into a page as it is."""

    __slots__ = ()


def escaped(value: object) -> Html:
    """``value`` as markup: :class:`Html` unchanged, lists joined, ``None`` nothing, all else escaped."""
    if isinstance(value, Html):
        return value
    if value is None:
        return Html("")
    if isinstance(value, list | tuple):
        return joined(value)
    return Html(escape(str(value), quote=True))


def joined(parts: Iterable[object]) -> Html:
    """The parts one after the other, each escaped unless it is markup."""
    return Html("".join(escaped(part) for part in parts))


class _EscapingFormatter(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec:
            return escaped(format(value, format_spec))
        return escaped(value)


_formatter = _EscapingFormatter()


def html(template: str, /, **places: object) -> Html:
    """Fill the named places of a template: ``html("<b>{name}</b>", name=typed)``."""
    return Html(_formatter.vformat(template, (), places))


def paragraphs(text: str) -> Html:
    """Typed text with its line breaks: each non-empty line a paragraph."""
    return joined(html("<p>{line}</p>", line=line) for line in text.splitlines() if line.strip())


def table_rows(rows: Iterable[tuple[str, object]]) -> Html:
    """Rows of a two-column table: a heading cell and its value."""
    return joined(html('<tr><th scope="row">{name}</th><td>{value}</td></tr>', name=k, value=v) for k, v in rows)
