"""How often programs may ask, and the header fields that tell them (the IETF's RateLimit fields).

Reading is counted in Redis, by minutes: a row for each reading would cost more than the reading. Without Redis reading
goes on uncounted, since what is read does no harm. Writing is counted in rows like everything else that is limited, so
that no restart resets it; what a judge gives has the site's own limits besides.
"""

from __future__ import annotations

import functools
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import redis
from django.conf import settings
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from redis.backoff import NoBackoff
from redis.retry import Retry

from arena_site.accounts.devices import signed_in_account
from arena_site.accounts.limits import API_WRITES, UNKNOWN_FACTOR, take
from arena_site.accounts.models import ApiToken, Attempt
from arena_site.accounts.networks import UNKNOWN, keyed_hash, network_tags
from governance.errors import TooMany
from governance.public_answers import problem_json

logger = logging.getLogger(__name__)

#: Five a second from each token, account or network: more than a page or a script that follows a race needs.
READS = 300
READ_WINDOW = 60
#: A local Redis answers within a millisecond; nobody waits for one that is gone.
REDIS_SECONDS = 0.25
#: And after it was gone it is left alone for so long.
REDIS_PAUSE = 5.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Where somebody stands with a limit: ``left`` of ``quota`` in the window that ends in ``reset`` seconds."""

    name: str
    quota: int
    window: int
    left: int
    reset: int


@dataclass(frozen=True, slots=True)
class Asker:
    """Under what name somebody is counted: hashes of today and yesterday, and how many times wider their limit is."""

    tags: tuple[str, str]
    factor: int = 1


def asker_of(request: HttpRequest, token: ApiToken | None = None) -> Asker:
    """A token, or else an account, or else a network."""
    if token is not None:
        return _named(f"token {token.pk}")
    account = signed_in_account(request)
    if account is not None:
        return _named(f"account {account.pk}")
    return network_of(request)


def network_of(request: HttpRequest) -> Asker:
    """The network alone, for whoever is not known to be anybody."""
    tags = network_tags(request)
    return Asker(tags, UNKNOWN_FACTOR if tags[0] == UNKNOWN else 1)


def _named(name: str) -> Asker:
    today = timezone.now().date()
    return Asker((keyed_hash(name, today), keyed_hash(name, today - timedelta(days=1))))


def count_reading(request: HttpRequest, asker: Asker) -> None:
    """Count one reading, and put the standing on the request; nothing without Redis.

    Raises:
        TooMany: the limit of this minute is reached.
    """
    now = time.time()
    window, reset = int(now // READ_WINDOW), READ_WINDOW - int(now % READ_WINDOW)
    quota = READS * asker.factor
    counted = _counter().count(f"ringside:reads:{asker.tags[0]}:{window}")
    if counted is None:
        return
    _put(request, Standing("reading", quota, READ_WINDOW, max(0, quota - counted), reset))
    if counted > quota:
        raise TooMany(
            f"That is more than {quota:,} requests in a minute. Please wait.", retry_after=reset, code="limit_reading"
        )


def count_writing(request: HttpRequest, asker: Asker) -> None:
    """Count one request that writes, and put the standing on the request.

    Raises:
        TooMany: the limit of the last hour is reached.
    """
    quota = API_WRITES.most * asker.factor
    window = int(API_WRITES.window.total_seconds())
    try:
        take(API_WRITES, asker.tags)
    except TooMany as refusal:
        _put(request, Standing("writing", quota, window, 0, refusal.retry_after))
        raise
    since = timezone.now() - API_WRITES.window
    inside = Attempt.objects.filter(kind=API_WRITES.kind, key__in=set(asker.tags), at__gt=since)
    spent, oldest = inside.aggregate(n=Count("pk"), oldest=Min("at")).values()
    reset = math.ceil((oldest - since).total_seconds()) if oldest else window
    _put(request, Standing("writing", quota, window, max(0, quota - spent), reset))


def _put(request: HttpRequest, standing: Standing) -> None:
    request.rate_standing = standing  # type: ignore[attr-defined]  # our own addition


class RateLimitMiddleware:
    """Counts whoever asks of the API, and tells them where they stand. Views that know tokens count by themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        standing: Standing | None = getattr(request, "rate_standing", None)
        if standing is not None:
            response["RateLimit-Policy"] = f'"{standing.name}";q={standing.quota};w={standing.window}'
            response["RateLimit"] = f'"{standing.name}";r={standing.left};t={standing.reset}'
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], arguments: object, named: object
    ) -> HttpResponse | None:
        of_the_api = request.path.startswith("/api/")
        cls = getattr(view, "cls", None)
        # Whatever the method: one that is refused here is looked at like a reading, and writes as little.
        if not of_the_api or getattr(cls, "counts_itself", False) or not getattr(cls, "counted", True):
            return None
        try:
            count_reading(request, asker_of(request))
        except TooMany as refusal:
            return problem_json(refusal)
        return None


class _Counter:
    """Counts in Redis, and gives up quickly where there is none."""

    def __init__(self, address: str) -> None:
        self._client = redis.Redis.from_url(
            address,
            socket_timeout=REDIS_SECONDS,
            socket_connect_timeout=REDIS_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
        self._not_before = 0.0

    def count(self, key: str) -> int | None:
        """One more under a key that lasts for two windows; None while Redis is away."""
        if time.monotonic() < self._not_before:
            return None
        try:
            pipe = self._client.pipeline(transaction=False)
            pipe.incr(key)
            pipe.expire(key, 2 * READ_WINDOW)
            return int(pipe.execute()[0])
        except redis.RedisError as problem:
            self._not_before = time.monotonic() + REDIS_PAUSE
            # Only its kind: an address may hold a password.
            logger.warning("readings are not counted, since Redis is away: %s", type(problem).__name__)
            return None


@functools.cache
def _counter_at(address: str) -> _Counter:
    return _Counter(address)


def _counter() -> _Counter:
    return _counter_at(settings.REDIS_URL)
