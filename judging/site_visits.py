"""Visiting the site's own addresses from inside, with all of its middleware: what the two checks of judging stand on.

Everything is read from the address table, so an address under a battle that is added later is visited without anybody
listing it. Visits happen in a transaction that is rolled back.
"""

import logging
import uuid
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.converters import IntConverter, UUIDConverter
from django.urls.resolvers import RoutePattern

from governance.models import Judge
from judging.identity import COOKIE, SALT
from judging.models import JudgeAccount

#: The names of files a page links to are no part of what is checked, and a checkout that never ran has none hashed.
PLAIN_FILES = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}

#: Headers that are other ones with every answer, whatever is visited: how often a visitor asked, and the answer's name.
OF_ONE_ANSWER = frozenset({"RateLimit", "X-Request-ID"})


@dataclass(frozen=True, slots=True)
class Address:
    """An address with places for identifiers: ``battle_id``, mostly, and whatever else it names."""

    name: str
    route: str
    converters: tuple[tuple[str, object], ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of what it takes besides the battle."""
        return tuple(name for name, _ in self.converters if name != "battle_id")

    def path(self, battle_id: uuid.UUID, frame_id: uuid.UUID | None = None) -> str:
        """The path for one battle; other identifiers are the frame's, or something of the right type."""
        path = f"/{self.route}"
        for name, converter in self.converters:
            value = str(battle_id) if name == "battle_id" else _something(converter, frame_id)
            path = f"{path[: path.index('<')]}{value}{path[path.index('>') + 1 :]}"
        return path


def _something(converter: object, frame_id: uuid.UUID | None) -> str:
    if isinstance(converter, UUIDConverter):
        return str(frame_id or uuid.UUID(int=0))
    return "1" if isinstance(converter, IntConverter) else "x"


def battle_addresses() -> list[Address]:
    """Every address of the site that names a battle by a part called ``battle_id``, wherever it is included from."""
    return [address for address in site_addresses() if "battle_id" in dict(address.converters)]


def site_addresses() -> list[Address]:
    """Every address of the site."""
    return list(_walk(get_resolver().url_patterns, "", ()))


def _walk(
    patterns: Iterable[URLPattern | URLResolver], prefix: str, converters: tuple[tuple[str, object], ...]
) -> Iterator[Address]:
    for entry in patterns:
        if not isinstance(entry.pattern, RoutePattern):
            continue
        route, parts = f"{prefix}{entry.pattern}", (*converters, *entry.pattern.converters.items())
        if isinstance(entry, URLResolver):
            yield from _walk(entry.url_patterns, route, parts)
        else:
            yield Address(entry.name or "", route, parts)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Whatever the visits and their preparations write is gone afterwards, and refusals are no news for the log."""
    requests = logging.getLogger("django.request")
    level = requests.level
    requests.setLevel(logging.CRITICAL)
    try:
        with (
            warnings.catch_warnings(),
            override_settings(STORAGES=settings.STORAGES | {"staticfiles": PLAIN_FILES}),
            transaction.atomic(),
        ):
            # The folder of hashed files is not there before the site was first started.
            warnings.simplefilter("ignore", UserWarning)
            yield
            transaction.set_rollback(True)
    finally:
        requests.setLevel(level)


def browser_of(judge: Judge | None) -> Client:
    """A browser with this judge's cookie, or without any.

    A judge of an account is recognised by their session, which nobody else can have. While the visits last the
    binding goes by a name that no sign-in answers for, so that the cookie alone names the judge.
    """
    named = [host for host in settings.ALLOWED_HOSTS if host[:1] not in {"*", "."}]
    browser = Client(raise_request_exception=False, SERVER_NAME=named[0] if named else "localhost")
    if judge is not None:
        JudgeAccount.objects.filter(judge=judge).update(account=f"visit:{judge.pk}")
        browser.cookies[COOKIE] = signing.Signer(salt=SALT).sign(judge.pk)
    return browser


def body_of(response: HttpResponseBase) -> bytes:
    if response.streaming:
        return b"".join(response)
    return bytes(response.content)  # type: ignore[attr-defined]  # and any other has its content
