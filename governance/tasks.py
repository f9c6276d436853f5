"""What the constitution does in the background."""

import logging

from governance.background import background_task
from governance.dataset.building import build_snapshot
from governance.dataset.recalls import REPLACE_TASK
from governance.dataset.replacing import replace_snapshots
from governance.dataset.requests import ASKED, BUILD_TASK
from governance.errors import ArenaError
from governance.ledger.timetable import sign_on_time
from governance.models import JournalEntry
from governance.withdrawal_sweep import sweep_withdrawals

logger = logging.getLogger(__name__)


@background_task(name=REPLACE_TASK)
def replace_touched() -> None:
    """Make and hand over the replacements that withdrawals owe; what cannot be done now is tried again."""
    try:
        replace_snapshots()
    except ArenaError as refusal:
        logger.warning("replacements of snapshots wait: %s", refusal.message)


@background_task(name=BUILD_TASK)
def build(entry: str) -> None:
    """Make the snapshot that somebody asked for; asking twice while one is made is asking once."""
    asked = JournalEntry.objects.get(pk=entry, action=ASKED)
    try:
        build_snapshot(actor=asked.actor, reason=asked.reason)
    except ArenaError as refusal:
        logger.warning("the snapshot that was asked for was not made: %s", refusal.message)


@background_task(name="governance.sweep_withdrawals")
def sweep() -> None:
    """Act on withdrawals that nobody acted on, and remind of those that wait."""
    sweep_withdrawals()


@background_task(name="governance.sign_ledger")
def sign_ledger() -> None:
    """Sign the ledger's head, where it has grown."""
    sign_on_time()
