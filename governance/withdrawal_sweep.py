"""The hourly look at withdrawals: what nobody acted on is acted on a day before it is due, and operators are reminded.

What was asked on the site was to be done at once, so that it waits only where something failed: that is tried again.

A second look changes nothing, and two at once do no more than one: acting takes the row's lock and is done once.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from governance.journal import record
from governance.models import JournalEntry, Withdrawal
from governance.withdrawal_clocks import CORPUS, LICENSEES, Clock
from governance.withdrawals import act_on

logger = logging.getLogger(__name__)

ACTOR = "system:withdrawals"
REMIND = "governance:withdrawal:remind"


@dataclass(frozen=True, slots=True)
class Running:
    """A clock that runs.

    Attributes:
        withdrawal: the request that it belongs to.
        clock: which of the two.
        due_at: when it must have stopped.
        overdue: whether it should have by now.
    """

    withdrawal: Withdrawal
    clock: Clock
    due_at: datetime
    overdue: bool


def running_clocks(now: datetime | None = None) -> list[Running]:
    """Every clock that runs, the most urgent first. What is done stops the first and starts the look at the second."""
    now = now or timezone.now()
    found = []
    for withdrawal in Withdrawal.objects.filter(licensees_done_at=None, called_off_at=None):
        clock = CORPUS if withdrawal.corpus_done_at is None else LICENSEES
        due_at = clock.due_at(withdrawal.received_at)
        found.append(Running(withdrawal, clock, due_at, clock.overdue(withdrawal.received_at, None, now)))
    return sorted(found, key=lambda running: running.due_at)


def sweep_withdrawals(now: datetime | None = None) -> list[Withdrawal]:
    """Act on what is due within a day, and remind of the rest; returns what was acted on.

    What fails is left for the next hour, and the others are acted on all the same.
    """
    now = now or timezone.now()
    done = []
    for running in running_clocks(now):
        if running.clock == CORPUS and now >= _acts_at(running.withdrawal):
            acted = _act(running.withdrawal)
            if acted is not None:
                done.append(acted)
    # Read again: what was acted on just now starts the second clock, which may be late already.
    for running in running_clocks(now):
        if running.overdue:
            _remind(running, "overdue")
        elif now >= running.clock.reminds_at(running.withdrawal.received_at):
            _remind(running, "soon")
    return done


def _acts_at(withdrawal: Withdrawal) -> datetime:
    """A letter waits for an operator, and everything else for nobody."""
    by_mail = withdrawal.channel == Withdrawal.Channel.MAIL
    return CORPUS.acts_at(withdrawal.received_at) if by_mail else withdrawal.received_at


def _act(withdrawal: Withdrawal) -> Withdrawal | None:
    try:
        return act_on(withdrawal=withdrawal, actor=ACTOR)
    except Exception as problem:
        # Whatever is wrong with one must not keep the others: each is a promise of its own.
        # Only its kind: the words of a database may quote what is to be erased.
        logger.error("withdrawal %s could not be acted on: %s", withdrawal.pk, type(problem).__name__)
        return None


@transaction.atomic
def _remind(running: Running, stage: str) -> None:
    """Say once for each clock and stage, in the journal and in the log, that somebody should look."""
    withdrawal = Withdrawal.objects.select_for_update(no_key=True).get(pk=running.withdrawal.pk)
    about = {"clock": running.clock.name, "stage": stage}
    if JournalEntry.objects.filter(subject=str(withdrawal.pk), action=REMIND, detail=about).exists():
        return
    record(actor=ACTOR, action=REMIND, subject=str(withdrawal.pk), **about)
    words = "is overdue since" if stage == "overdue" else "is due on"
    logger.warning(
        "withdrawal %s: its %s clock %s %s",
        withdrawal.pk,
        running.clock.name,
        words,
        f"{running.due_at:%Y-%m-%d %H:%M} UTC",
    )
