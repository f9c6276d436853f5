"""What the arena has spent on models, and the operator's limits on it.

A limit for a day or a provider stops new tasks, never a running race: leaving out the agents of one
provider would lean on the draw. A limit for a battle ends the lane that reaches its half, as the
operator's doing, so the battle does not rate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Count, Sum
from django.utils import timezone

from battles.costs import cost_of
from battles.lanes.events import Usage
from battles.models import Agent, Step
from battles.prices import price_at
from governance.errors import ArenaError

#: Both lanes of a battle get the same share of its limit, like every other budget.
LANES = 2

#: Columns of a step, and fields of a usage, that add up to a cost.
COUNTS = ("input_plain", "input_cache_read", "input_cache_write", "output")


class SpendLimitReached(ArenaError):
    """The operator's money for today is used up; nothing the person did."""

    code = "spend_limit"
    status = 503


@dataclass(frozen=True, slots=True)
class Spent:
    """What model calls since an instant cost, in USD, by provider; ``unknown_calls`` could not be priced."""

    by_provider: Mapping[str, Decimal]
    unknown_calls: int

    @property
    def total(self) -> Decimal:
        return sum(self.by_provider.values(), Decimal(0))


def spent_since(since: datetime) -> Spent:
    """Add up the model calls of lanes that started at or after ``since``, at the prices of their lane's version."""
    calls = Step.objects.filter(model_called=True, lane__started_at__gte=since)
    known = {"input_plain__isnull": False, "output__isnull": False}
    sums = {f"sum_{name}": Sum(name, default=0) for name in COUNTS}
    groups = (
        calls.filter(**known).order_by().values_list("lane__agent__provider", "lane__agent_version", "lane__started_at")
    )
    by_provider: dict[str, Decimal] = {}
    unknown = calls.exclude(**known).count()
    for provider, version, started, calls_in_group, *counts in groups.annotate(calls=Count("pk"), **sums):
        usage = Usage(**dict(zip(COUNTS, counts, strict=True)))
        cost = cost_of(usage, price_at(version, started))
        if cost is None:
            unknown += calls_in_group
            continue
        by_provider[provider] = by_provider.get(provider, Decimal(0)) + cost
    return Spent(by_provider, unknown)


def start_of_day(now: datetime) -> datetime:
    """Midnight UTC of the day that an instant is in: limits are by UTC days."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def check_spending(*, now: datetime | None = None) -> None:
    """Refuse a new task when a limit for the day is reached, or cannot be kept.

    Raises:
        SpendLimitReached: the money for today is used, or a model that may be drawn has no price.
    """
    day, provider_day = settings.ARENA_SPEND_PER_DAY, settings.ARENA_SPEND_PER_PROVIDER_DAY
    if day is None and provider_day is None and settings.ARENA_SPEND_PER_BATTLE is None:
        return
    now = now or timezone.now()
    for agent in Agent.racing(now).filter(kind=Agent.Kind.MODEL):
        if price_at(agent.model_version, now) is None:
            raise SpendLimitReached(
                "A limit on spending is set, and it cannot be kept while a model has no price. "
                "An operator can enter it."
            )
    if day is None and provider_day is None:
        return
    spent = spent_since(start_of_day(now))
    reached = day is not None and spent.total >= day
    if provider_day is not None:
        reached = reached or any(amount >= provider_day for amount in spent.by_provider.values())
    if reached:
        raise SpendLimitReached(
            "The arena has used up its money for model calls today. Nothing was lost; please post the task tomorrow."
        )


def lane_spending(agent: Agent, *, now: datetime | None = None) -> dict[str, Any]:
    """What a hosted agent needs to keep a lane's half of the limit for a battle; empty without a limit or a price."""
    limit = settings.ARENA_SPEND_PER_BATTLE
    prices = price_at(agent.model_version, now or timezone.now()) if limit is not None else None
    if limit is None or prices is None:
        return {}
    return {"spending": {"limit": str(limit / LANES), "prices": prices.as_settings()}}
