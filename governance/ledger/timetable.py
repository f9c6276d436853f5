"""Signing the head by the clock: what is entered is under a signature soon, whether anybody asks for it or not."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.utils import timezone

from governance.errors import ArenaError
from governance.ledger.checkpoints import checkpoint_in_force, latest_checkpoint
from governance.models import JournalEntry, LedgerCheckpoint

logger = logging.getLogger(__name__)

#: How often the head is signed where the ledger has grown.
SIGNED_EVERY = timedelta(minutes=10)
#: An entry that waits longer for a signature is a gap, which the status page says: two turns may have been missed.
SIGNED_WITHIN = 3 * SIGNED_EVERY


def sign_on_time() -> LedgerCheckpoint | None:
    """Sign the head if the ledger has grown; None where that cannot be done here, which is logged."""
    try:
        return checkpoint_in_force()
    except ArenaError as refusal:
        logger.error("the ledger's head is not signed: %s", refusal.message)
        return None


def waits_since() -> datetime | None:
    """Since when the oldest entry waits that is under no signed head; None where all are under one.

    An entry that was made late waits since the last head was signed, since it says when what it speaks of happened.
    """
    signed = latest_checkpoint()
    waiting = JournalEntry.objects.filter(ledger_entry__index__gte=signed.size if signed else 0)
    first = waiting.order_by("ledger_entry__index").values_list("at", flat=True).first()
    return max(first, signed.made_at) if first and signed else first


def signing_is_late(now: datetime | None = None) -> bool:
    """Whether an entry waits for a signature for longer than is promised."""
    since = waits_since()
    return since is not None and (now or timezone.now()) - since > SIGNED_WITHIN
