"""How well a judge could guess that an outcome is known, and whether they judge such battles differently.

Gold battles run on practice sites, and a judge sees the address. Where people's own tasks rarely run there, the address
gives gold away; somebody who is careful there and nowhere else shows as a difference between both kinds of calls.
"""

from collections import Counter
from dataclasses import dataclass
from statistics import median

from django.db.models import Q

from battles.models import Battle
from battles.screening.task_safety import PRACTICE_SUFFIX
from governance.models import Judge
from judging.calibration import scored_calls
from judging.models import Assignment, Vote


@dataclass(frozen=True, slots=True)
class GoldReading:
    """What was handed out so far, rounds and panels left out. Shares are None where there is nothing to take one of.

    Attributes:
        handed_out, gold: battles handed out for a first look, and how many of them were gold.
        on_practice_sites: how many of them ran on a practice site, gold and people's own alike.
        guess_right: how often "it runs on a practice site, so its outcome is known" is right.
        seconds_on_gold, seconds_elsewhere: medians of the focused time that votes took.
        right_on_gold, right_elsewhere: shares of right calls, of known outcomes and of others' majorities.
    """

    handed_out: int
    gold: int
    on_practice_sites: int
    guess_right: float | None
    seconds_on_gold: float | None
    seconds_elsewhere: float | None
    right_on_gold: float | None
    right_elsewhere: float | None


def read_gold() -> GoldReading:
    """Over everything that was handed out."""
    on_site = Q(battle__kind=Battle.Kind.GOLD) | Q(battle__task__start_url__iregex=_practice_address())
    pool = Q(battle__kind__in=[Battle.Kind.LIVE, Battle.Kind.GOLD])
    handed = Assignment.objects.filter(pool, swapped=False)
    gold = handed.filter(battle__kind=Battle.Kind.GOLD).count()
    sites = handed.filter(on_site).count()
    right, calls = _calls()
    return GoldReading(
        handed_out=handed.count(),
        gold=gold,
        on_practice_sites=sites,
        guess_right=_share(gold, sites),
        seconds_on_gold=_seconds(Q(battle__kind=Battle.Kind.GOLD)),
        seconds_elsewhere=_seconds(Q(battle__kind=Battle.Kind.LIVE)),
        right_on_gold=_share(right["gold"], calls["gold"]),
        right_elsewhere=_share(right["majority"], calls["majority"]),
    )


def _practice_address() -> str:
    return rf"^https?://[^/]*{PRACTICE_SUFFIX.replace('.', '[.]')}(:|/|$)"


def _seconds(kind: Q) -> float | None:
    votes = Vote.objects.filter(kind, focus_ms__isnull=False, by_submitter=False, withdrawn_at__isnull=True)
    spent = list(votes.values_list("focus_ms", flat=True))
    return median(milliseconds / 1000 for milliseconds in spent if milliseconds is not None) if spent else None


def _calls() -> tuple[Counter[str], Counter[str]]:
    """Right calls and all calls, by where they are scored."""
    right: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    scored = Q(votes__battle__kind=Battle.Kind.GOLD) | Q(votes__battle__judges_needed__gt=1)
    for judge in Judge.objects.filter(scored).distinct():
        for call in scored_calls(judge):
            calls[call.source] += 1
            right[call.source] += call.right
    return right, calls


def _share(counted: int, over: int) -> float | None:
    return counted / over if over else None
