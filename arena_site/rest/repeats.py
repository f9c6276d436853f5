"""Sending the same again: a request with an ``Idempotency-Key`` makes something once, however often it is sent.

Kept is what was answered, for a day. What was refused made nothing, so nothing of it is kept: the same key can be sent
again once the reason is gone. The answer is written in the transaction that makes the thing; whoever comes second
waits for that transaction, for a moment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from psycopg.errors import LockNotAvailable

from arena_site.accounts.models import KeptAnswer
from arena_site.accounts.tokens import ANSWERS_KEPT_FOR
from governance.deadlocks import done_again
from governance.errors import ArenaError, TooMany
from governance.models import Judge
from judging.identity import contribution, current_judge, prepare_identity

HEADER = "Idempotency-Key"
LONGEST_KEY = 80
SALT = "arena_site.rest.repeats"
#: Most requests are answered within this; a second one that waited gets the answer instead of a refusal.
WAIT_MS = 2_000
RETRY_SECONDS = 2


class KeyRefused(ArenaError):
    """The key cannot be one."""

    code = "bad_idempotency_key"


class KeyReused(ArenaError):
    """The key stands for another request."""

    code = "idempotency_key_reused"
    status = 422

    def __init__(self) -> None:
        super().__init__(
            f"This {HEADER} was sent before with another request. Please draw a new one for each thing you ask for."
        )


class InFlight(TooMany):
    """The first request with this key is still being answered."""

    code = "request_in_flight"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            "The first request with this key is still being answered. Please ask again.", retry_after=RETRY_SECONDS
        )


@dataclass(frozen=True, slots=True)
class Made:
    """What is answered to a request that made or changed something; nothing that a person typed.

    Attributes:
        body: JSON values.
        status: 201 where something of its own was made.
        location: its address, or that of what it belongs to.
        again: whether this is the kept answer to an earlier request.
    """

    body: Mapping[str, Any]
    status: int = 200
    location: str = ""
    again: bool = False


def key_of(request: HttpRequest) -> str:
    """The key of a request, as sent or as a quoted string; "" where there is none.

    Raises:
        KeyRefused: it is empty, too long, or not printable ASCII.
    """
    if HEADER not in request.headers:
        return ""
    key = request.headers[HEADER].strip()
    if len(key) > 1 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not 0 < len(key) <= LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise KeyRefused(f"{HEADER} must have 1 to {LONGEST_KEY} printable ASCII characters; a UUID does well.")
    return key


def once(request: HttpRequest, *, said: object, make: Callable[[], Made]) -> Made:
    """Do what a request asks for, or give the answer that was given to it before.

    Args:
        said: the body as JSON values.
        make: done again from the start where somebody else's locks stopped it; what it does elsewhere than in the
            database waits for the commit.

    Raises:
        KeyRefused, KeyReused: it is no key, or that of another request.
        InFlight: the first one takes longer than a moment.
        ArenaError: whatever ``make`` refuses.
    """
    key = key_of(request)
    if not key:
        return make()
    owner = prepare_identity(request) if getattr(request, "judge", None) is None else request.judge.pk  # type: ignore[attr-defined]  # set by the middleware of judging
    asked = _hash("request", json.dumps([request.method, request.path, said], sort_keys=True))
    answer = _once(request, current_judge(request), owner, _hash("key", key), asked, make)
    if isinstance(answer, ArenaError):
        raise answer
    return answer


@done_again
def _once(
    request: HttpRequest, judge: Judge | None, owner: str, key: str, asked: str, make: Callable[[], Made]
) -> Made | ArenaError:
    # Whoever became a judge in a try that was undone only when it was to be committed is none.
    request.judge = judge  # type: ignore[attr-defined]  # set by the middleware of judging
    with contribution(request):
        kept, first = _claim(owner, key, asked)
        if not first:
            if kept.request != asked:
                raise KeyReused
            return Made(json.loads(kept.body), kept.status, kept.location, again=True)
        ours = KeptAnswer.objects.filter(pk=kept.pk)
        try:
            made = make()
        except ArenaError as refused:
            # What the refusal itself stored, that it was refused say, stays.
            ours.delete()
            return refused
        # Gone already where the request was to forget whoever sent it.
        ours.update(status=made.status, body=json.dumps(made.body), location=made.location)
    return made


def _claim(owner: str, key: str, asked: str) -> tuple[KeptAnswer, bool]:
    """The row of this key, and whether it is new. A row that another transaction is about to write is waited for."""
    KeptAnswer.objects.filter(owner=owner, key=key, at__lte=timezone.now() - ANSWERS_KEPT_FOR).delete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{WAIT_MS}ms"])
        try:
            claimed = KeptAnswer.objects.get_or_create(owner=owner, key=key, defaults={"request": asked})
        except OperationalError as problem:
            if isinstance(problem.__cause__, LockNotAvailable):
                raise InFlight from None
            raise
        cursor.execute("SET LOCAL lock_timeout TO DEFAULT")
    return claimed


def _hash(what: str, text: str) -> str:
    return salted_hmac(f"{SALT}.{what}", text, secret=settings.SECRET_KEY, algorithm="sha256").hexdigest()
