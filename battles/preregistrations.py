"""Preregistration: what will be compared, by what and at which size, is in the ledger before the first battle of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from battles.models import Agent, Battle, Preregistration, PreregistrationResult
from battles.roster import NoSuchAgent
from battles.screening.category import CATEGORIES
from governance.errors import ArenaError, Conflict
from governance.journal import record
from governance.ledger.kinds import Content

#: A result at fewer battles says nothing, and more is nobody's to promise.
SMALLEST, LARGEST = 30, 1_000_000
LONGEST_ANALYSIS = 4_000
MOST_AGENTS = 10
ACTION = "battles:preregistration:enter"
RESULT = "battles:preregistration:read"


class PreregistrationRefused(ArenaError):
    code = "preregistration_refused"
    status = 422


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out, once the promised size was reached.

    Args:
        words: the result, for people, with its interval.
    """

    words: str


@dataclass(frozen=True, slots=True)
class PromisedMetric:
    """A measure that can be promised; the app that has the numbers registers it.

    Args:
        key: its name in the ledger.
        words: what it is, in a sentence.
        read: its result over ``size`` battles, the first drawn of those that rate by then; None while fewer rate.
    """

    key: str
    words: str
    read: Callable[[Preregistration], Outcome | None]


_metrics: dict[str, PromisedMetric] = {}


def register_promised_metric(metric: PromisedMetric) -> None:
    """Make a measure one that can be promised."""
    _metrics[metric.key] = metric


def promised_metrics() -> dict[str, PromisedMetric]:
    """By key, sorted."""
    return {key: _metrics[key] for key in sorted(_metrics)}


@transaction.atomic
def preregister(
    *,
    agents: Sequence[str],
    metric: str,
    size: int,
    analysis: str,
    actor: str,
    category: str = "",
    starts_at: datetime | None = None,
    reason: str = "",
) -> Preregistration:
    """Promise what will be looked at; from now on it stands in the ledger.

    Args:
        agents: keys; the first is compared with the others.
        category: of tasks; all of them without one.
        starts_at: it speaks of battles drawn from then on; of those drawn from now on without one, or where it is over.

    Raises:
        PreregistrationRefused: something is missing or cannot be promised.
        NoSuchAgent: an agent is not on the roster.
        Conflict: ``began_already``: a battle it would speak of was drawn before.
    """
    now = timezone.now()
    keys, analysis = list(dict.fromkeys(agents)), analysis.strip()
    _check(keys, category, metric, size, analysis)
    starts_at = starts_at or now
    promise = Preregistration(
        agents=keys,
        category=category,
        metric=metric,
        size=size,
        analysis=analysis,
        starts_at=starts_at,
        entered_at=now,
    )
    if battles_of(promise).exists():
        raise Conflict(
            "A battle that it speaks of was drawn already, so this would be no promise. Let it start later.",
            code="began_already",
        )
    # What is drawn while this is written down was drawn before it, and is none of what it speaks of.
    promise.starts_at = max(starts_at, now)
    promise.save(force_insert=True)
    record(actor=actor, action=ACTION, subject=str(promise.pk), reason=reason, metric=metric, size=size)
    return promise


def _check(keys: Sequence[str], category: str, metric: str, size: int, analysis: str) -> None:
    if not 2 <= len(keys) <= MOST_AGENTS:
        raise PreregistrationRefused(f"Please name 2 to {MOST_AGENTS} different agents.", field="agents")
    known = set(Agent.objects.filter(pk__in=keys).values_list("pk", flat=True))
    for key in keys:
        if key not in known:
            raise NoSuchAgent(key)
    if category and category not in CATEGORIES:
        raise PreregistrationRefused(f"There is no category {category!r}.", field="category")
    if metric not in _metrics:
        raise PreregistrationRefused(f"What can be promised: {', '.join(promised_metrics())}.", field="metric")
    if not SMALLEST <= size <= LARGEST:
        raise PreregistrationRefused(f"The size must be between {SMALLEST} and {LARGEST:,} battles.", field="size")
    if not analysis or len(analysis) > LONGEST_ANALYSIS or "\0" in analysis:
        raise PreregistrationRefused(
            f"Please say what is expected and what would count, in at most {LONGEST_ANALYSIS} characters.",
            field="analysis",
        )


def battles_of(promise: Preregistration) -> QuerySet[Battle]:
    """Battles that it speaks of: live ones of its first agent against another of its agents, drawn since it starts."""
    first, *others = promise.agents
    pair = Q(agent_a=first, agent_b__in=others) | Q(agent_b=first, agent_a__in=others)
    found = Battle.objects.filter(pair, kind=Battle.Kind.LIVE, created_at__gte=promise.starts_at)
    return found.filter(task__category=promise.category) if promise.category else found


def document_of(promise: Preregistration) -> str:
    """What was promised, as canonical JSON; its digest is in the ledger."""
    told = {
        "agents": promise.agents,
        "analysis": promise.analysis,
        "category": promise.category,
        "entered_at": promise.entered_at.astimezone(UTC).isoformat(),
        "metric": promise.metric,
        "size": promise.size,
        "starts_at": promise.starts_at.astimezone(UTC).isoformat(),
    }
    return json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def contents(identifiers: Iterable[str] | None = None) -> Iterator[Content]:
    """For the ledger: every promise by the digest of what it says."""
    found = Preregistration.objects.all()
    if identifiers is not None:
        found = found.filter(pk__in=list(identifiers))
    for promise in found:
        yield Content(str(promise.pk), hashlib.sha256(document_of(promise).encode()).hexdigest())


def settle_promises(*, actor: str = "system:preregistrations") -> list[PreregistrationResult]:
    """Read what came of every promise whose size is reached, once and for good; returns what was read now."""
    found = []
    for promise in Preregistration.objects.filter(result__isnull=True):
        metric = _metrics.get(promise.metric)
        outcome = metric.read(promise) if metric else None
        if outcome is not None:
            found.append(_keep(promise, outcome, actor))
    return found


@transaction.atomic
def _keep(promise: Preregistration, outcome: Outcome, actor: str) -> PreregistrationResult:
    result, new = PreregistrationResult.objects.get_or_create(
        preregistration=promise, defaults={"words": outcome.words}
    )
    if new:
        record(actor=actor, action=RESULT, subject=str(promise.pk))
    return result
