"""What an operator promised to look at, and by when: reports, and labels put aside.

Nothing is decided by a deadline that passes. A report keeps its battle hidden and a held label stays out, since each is
the careful side to err on; what is late is said, in the log and on the status page, until somebody decides.
"""

import logging
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from judging.objections import open_reports
from judging.trust import open_holds

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Queue:
    """One kind of decision that waits.

    Attributes:
        name: ``reports`` or ``labels``, as the command that decides them is called.
        waiting, overdue: how many.
        next_due: the earliest deadline; None where nothing waits.
        meanwhile: what holds until somebody decides, in words.
    """

    name: str
    waiting: int
    overdue: int
    next_due: datetime | None
    meanwhile: str

    @property
    def words(self) -> str:
        """The state of the queue in a sentence, for the status page and the log."""
        if not self.waiting:
            return "Nothing waits for an operator."
        late = f"{self.overdue} of {self.waiting} overdue" if self.overdue else f"{self.waiting} waiting, none overdue"
        return f"{late}; {self.meanwhile}."


def queues(now: datetime | None = None) -> tuple[Queue, ...]:
    """Both queues as they are now."""
    now = now or timezone.now()
    found = []
    for name, rows, meanwhile in (
        ("reports", open_reports(), "reported battles stay hidden"),
        ("labels", open_holds(), "held labels rate nobody"),
    ):
        due = list(rows.values_list("due_at", flat=True))
        overdue = sum(at <= now for at in due)
        found.append(Queue(name, len(due), overdue, due[0] if due else None, meanwhile))
    return tuple(found)


def log_overdue(now: datetime | None = None) -> int:
    """Say in the log what is overdue; returns how many decisions are."""
    late = 0
    for queue in queues(now):
        late += queue.overdue
        if queue.overdue and queue.next_due is not None:
            logger.warning(
                "%s: %s The oldest was due on %s. Decide with: manage.py %s",
                queue.name,
                queue.words,
                f"{queue.next_due:%Y-%m-%d %H:%M} UTC",
                {"reports": "reports list", "labels": "labels held"}[queue.name],
            )
    return late
