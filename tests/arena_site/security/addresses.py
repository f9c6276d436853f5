"""Every address of the site with something that is there, and what an answer wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db import connection
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from battles.models import Battle
from judging.models import Annotation
from tests.arena_site.security.board import Arena

PLACE = re.compile(r"<(?:[^:>]+:)?([^>]+)>")
WRITES = re.compile(r'^\s*(?:WITH .*?)?(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE|COPY) "?(\w+)"?', re.DOTALL)


@dataclass(frozen=True)
class Address:
    """One address of the table, with a path on which something is there."""

    name: str
    path: str
    places: tuple[str, ...]
    view: Any

    @property
    def exempt(self) -> bool:
        """Whether Django asks for no token of a form here."""
        return bool(getattr(self.view, "csrf_exempt", False))


def addresses(arena: Arena) -> list[Address]:
    """Every address; where one names a battle, it is the poster's own."""
    return list(_walk(get_resolver().url_patterns, "/", "", arena))


def _walk(entries: list[Any], prefix: str, space: str, arena: Arena) -> Iterator[Address]:
    for entry in entries:
        route = f"{prefix}{str(entry.pattern).lstrip('^')}"
        if isinstance(entry, URLResolver):
            inner = f"{space}{entry.namespace}:" if entry.namespace else space
            yield from _walk(entry.url_patterns, route, inner, arena)
        elif isinstance(entry, URLPattern):
            name = f"{space}{entry.name}"
            places = tuple(entry.pattern.converters) or tuple(entry.pattern.regex.groupindex)
            yield Address(name, _path(route, name, arena), places, entry.callback)


def _path(route: str, name: str, arena: Arena) -> str:
    values = values_of(arena) | _of_operators(name)
    route = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", r"<\1>", route).rstrip("$").replace("\\.", ".")
    return PLACE.sub(lambda found: values.get(found[1], "x"), route)


def values_of(arena: Arena) -> dict[str, str]:
    """What stands in the place of each part of an address."""
    return {
        "battle_id": str(arena.own.pk),
        "frame_id": str(arena.frame(arena.own).pk),
        "withdrawal_id": str(arena.withdrawal.pk),
        "snapshot_id": str(arena.snapshot.pk),
        "annotation_id": str(Annotation.objects.values_list("pk", flat=True)[0]),
        "path": "README.md",
        "agent_key": "ada",
        "digest": arena.publication.public_digest,
        "name": "ratings",
        "form": "svg",
        "what": "reported",
        "version": "1",
        "number": "1",
        "key": "win_share",
        "app_label": "battles",
    }


def _of_operators(name: str) -> dict[str, str]:
    """The first row and the first act of the list that an address belongs to."""
    for model, page in admin.site._registry.items():
        if name.startswith(f"admin:{model._meta.app_label}_{model._meta.model_name}_"):
            row = model._default_manager.order_by("pk").first()
            found = {"act_name": page.acts[0].name} if page.acts else {}
            return found | ({"object_id": str(row.pk)} if row is not None else {})
    return {}


def other_battle(arena: Arena, path: str, battle: Battle) -> str:
    """The same path for another battle."""
    swapped = path.replace(str(arena.own.pk), str(battle.pk))
    return swapped.replace(str(arena.frame(arena.own).pk), str(arena.frame(battle).pk))


def asked(browser: Client, method: str, path: str, **options: Any) -> tuple[Any, list[str], int]:
    """The answer, the tables that it wrote, and how many statements it took."""
    statements: list[str] = []

    def remember(execute: Any, sql: Any, *arguments: Any) -> Any:
        statements.append(str(sql))
        return execute(sql, *arguments)

    with connection.execute_wrapper(remember):
        answer = browser.generic(method, path, **options)
        body = b"".join(answer) if answer.streaming else answer.content
    answer.said = body.decode(errors="replace")
    return answer, [found[1] for sql in statements if (found := WRITES.match(sql))], len(statements)
