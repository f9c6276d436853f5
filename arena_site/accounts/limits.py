"""What may be done only so often, counted in rows, so that a restart resets nothing.

An attempt is stored before it is counted: of any number at once, no more than the limit get through. Where a network
cannot be known, everybody shares one tag; its limits are wider, so that a proxy nobody declared locks nobody out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import models
from django.http import HttpRequest
from django.utils import timezone

from arena_site.accounts.models import Attempt, ProofRecord
from arena_site.accounts.names import fold_name
from arena_site.accounts.networks import UNKNOWN, keyed_hash, network_tags
from governance.errors import TooMany
from governance.models import Judge

#: How many times wider a limit is for everybody whose network is unknown, together.
UNKNOWN_FACTOR = 20
#: Nothing counted here is kept for longer.
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``most`` of a ``kind`` within ``window``; ``words`` finish the sentence that refuses one more."""

    kind: str
    most: int
    window: timedelta
    words: str


#: A shared flat or a small office makes a few accounts a day; a school that makes more comes back tomorrow.
SIGN_UPS = Limit("sign-up", 10, timedelta(days=1), "So many accounts were made from your network today.")
#: Somebody who mistypes has five tries; a machine has as many an hour as that gives.
SIGN_INS_NAME_HERE = Limit("sign-in name here", 5, timedelta(minutes=5), "That was the wrong password several times.")
#: One network that tries many names.
SIGN_INS_HERE = Limit("sign-in here", 30, timedelta(minutes=10), "Signing in failed many times from your network.")
#: One name tried from many networks. Wide, since it also keeps its owner out.
SIGN_INS_NAME = Limit("sign-in name", 60, timedelta(hours=1), "That was the wrong password many times.")
#: Six digits are guessed in a million tries; an account's owner mistypes a few.
SECOND_FACTORS = Limit("second factor", 5, timedelta(minutes=5), "That was the wrong code several times.")
#: Without the check a task costs a machine nothing and the arena minutes.
UNVERIFIED_TASKS = Limit(
    "unverified task", 20, timedelta(hours=1), "Many tasks came without the check from your network."
)
UNVERIFIED_TASKS_A_JUDGE = 5
UNVERIFIED_WINDOW = timedelta(hours=1)
#: What was typed before signing in is kept for people, not for floods.
DRAFTS = Limit("draft", 60, timedelta(hours=1), "Much was kept from your network.")

#: A judge who judges without a break gives sixty labels an hour; with locks, skips and mistakes that is some 200.
API_WRITES = Limit("api write", 240, timedelta(hours=1), "That is more than one client may send in an hour.")


def take(limit: Limit, keys: Sequence[str], *, now: datetime | None = None) -> Attempt:
    """Store an attempt under the first key and count those under all of them; an attempt too many is not kept.

    Raises:
        TooMany: with the whole seconds until the oldest counted attempt leaves the window.
    """
    now = now or timezone.now()
    attempt = Attempt.objects.create(kind=limit.kind, key=keys[0], at=now)
    most = limit.most * (UNKNOWN_FACTOR if keys[0] == UNKNOWN else 1)
    inside = Attempt.objects.filter(kind=limit.kind, key__in=set(keys), at__gt=now - limit.window)
    instants = list(inside.order_by("-at").values_list("at", flat=True)[: most + 1])
    if len(instants) > most:
        attempt.delete()
        wait = instants[most] + limit.window - now
        raise TooMany(
            f"{limit.words} Please come back later.",
            retry_after=max(1, int(wait.total_seconds()) + 1),
            code=f"limit_{limit.kind.replace(' ', '_').replace('-', '_')}",
        )
    return attempt


def give_back(attempts: Sequence[Attempt]) -> None:
    """What turned out well does not count."""
    Attempt.objects.filter(pk__in=[attempt.pk for attempt in attempts]).delete()


def take_sign_in(request: HttpRequest, name: str) -> list[Attempt]:
    """An attempt to sign in, or to prove who one is, counted before the password is looked at.

    Known and unknown names count alike.

    Raises:
        TooMany: too many from here, for this name, or both.
    """
    today, yesterday = network_tags(request)
    at = timezone.now()
    folded = fold_name(name)
    days = (at.date(), at.date() - timedelta(days=1))
    names = [keyed_hash(f"name {folded}", day) for day in days]
    both = [keyed_hash(f"{tag} {folded}", day) for tag, day in zip((today, yesterday), days, strict=True)]
    taken: list[Attempt] = []
    try:
        taken.append(take(SIGN_INS_NAME_HERE, both))
        taken.append(take(SIGN_INS_HERE, (today, yesterday)))
        taken.append(take(SIGN_INS_NAME, names))
    except TooMany:
        give_back(taken)
        raise
    return taken


def take_from_network(limit: Limit, request: HttpRequest) -> Attempt:
    """An attempt counted for the visitor's network.

    Raises:
        TooMany: that network has reached the limit.
    """
    return take(limit, network_tags(request))


def check_unverified_tasks(judge: Judge, *, now: datetime | None = None) -> None:
    """Refuse a judge's next task without the check once they reach the stricter limit.

    Raises:
        TooMany: five within the hour.
    """
    now = now or timezone.now()
    mine = ProofRecord.objects.filter(
        judge=judge,
        purpose=ProofRecord.Purpose.TASK,
        state=ProofRecord.State.UNVERIFIED,
        at__gt=now - UNVERIFIED_WINDOW,
    )
    count, oldest = mine.aggregate(n=models.Count("pk"), oldest=models.Min("at")).values()
    if count >= UNVERIFIED_TASKS_A_JUDGE:
        wait = oldest + UNVERIFIED_WINDOW - now
        raise TooMany(
            f"Without scripts, {UNVERIFIED_TASKS_A_JUDGE} tasks an hour are taken. Allow scripts for this page, sign "
            "in, or come back later.",
            retry_after=max(1, int(wait.total_seconds()) + 1),
            code="limit_unverified_task",
        )
