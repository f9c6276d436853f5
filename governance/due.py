"""What is due: each app says in its own ``due.py`` which decisions wait for an operator, and by when.

::

    def waiting_withdrawals(now: datetime) -> Due:
        items = [DueItem("everything: to be taken out", due_at=..., href=...), ...]
        return due_of(items, now=now, href=reverse("admin:governance_withdrawal_changelist"))

    register_due(DueQueue("withdrawals", "Withdrawals", waiting_withdrawals, "those labels rate"))

The operators' first page shows every queue, what is overdue first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

#: A queue shows so many of its items; its own page has the rest.
SHOWN = 5


@dataclass(frozen=True, slots=True)
class DueItem:
    """One thing that waits.

    Attributes:
        words: what it is, without a name that is withheld from anybody.
        due_at: by when somebody promised to act; None where there is no such promise, and it is only to be looked at.
        href: where it is acted on.
        detail: why, where that helps.
    """

    words: str
    due_at: datetime | None = None
    href: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Due:
    """What a queue holds now.

    Attributes:
        waiting, overdue: how many; a count that stopped at a bound is that bound.
        items: the most urgent ones, the first :data:`SHOWN` at most.
        href: the page of the whole queue.
    """

    waiting: int
    overdue: int
    items: tuple[DueItem, ...]
    href: str = ""

    @property
    def next_due(self) -> datetime | None:
        """The earliest deadline among the items."""
        return min((item.due_at for item in self.items if item.due_at is not None), default=None)


@dataclass(frozen=True, slots=True)
class DueQueue:
    """A kind of thing that becomes due.

    Args:
        key: a word of its own.
        title: for people.
        read: what it holds at an instant. Reads indexed rows only and asks the same few questions however many wait.
        meanwhile: what holds until somebody acts, in words.
    """

    key: str
    title: str
    read: Callable[[datetime], Due]
    meanwhile: str = ""


@dataclass(frozen=True, slots=True)
class QueueNow:
    """A queue with what it holds."""

    queue: DueQueue
    due: Due


_queues: dict[str, DueQueue] = {}


def register_due(queue: DueQueue) -> None:
    """Show a queue on the operators' first page. Registering a key again replaces it."""
    _queues[queue.key] = queue


def due_now(now: datetime | None = None) -> list[QueueNow]:
    """Every queue as it is: overdue ones first, then by the next deadline, then what only waits, then empty ones."""
    now = now or timezone.now()
    found = [QueueNow(queue, queue.read(now)) for queue in _queues.values()]
    far = datetime.max.replace(tzinfo=now.tzinfo)

    def urgency(one: QueueNow) -> tuple[bool, bool, datetime, str]:
        due = one.due
        return not due.overdue, not due.waiting, due.next_due or far, one.queue.title

    return sorted(found, key=urgency)


def due_of(rows: Iterable[DueItem], *, now: datetime, href: str = "") -> Due:
    """A queue's content from all of its items, the most urgent first. For queues that are short by nature."""
    far = datetime.max.replace(tzinfo=now.tzinfo)
    items = sorted(rows, key=lambda item: item.due_at or far)
    overdue = sum(item.due_at is not None and item.due_at <= now for item in items)
    return Due(len(items), overdue, tuple(items[:SHOWN]), href)
