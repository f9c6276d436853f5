"""What the constitution does in the background."""

import logging

from governance.background import background_task
from governance.dataset.building import build_snapshot
from governance.dataset.recalls import REPLACE_TASK
from governance.dataset.replacing import replace_snapshot, replace_snapshots
from governance.dataset.requests import ASKED, BUILD_TASK, REPLACE_ONE_TASK, REPLACEMENT_ASKED
from governance.dataset_models import Snapshot
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


@background_task(name=REPLACE_ONE_TASK)
def replace_one(entry: str) -> None:
    """Make the replacement that somebody asked for and tell whoever waits for it; nothing where it is there by now."""
    asked = JournalEntry.objects.get(pk=entry, action=REPLACEMENT_ASKED)
    try:
        replace_snapshot(snapshot=Snapshot.objects.get(pk=asked.subject), actor=asked.actor, reason=asked.reason)
    except ArenaError as refusal:
        logger.warning("the replacement that was asked for waits: %s", refusal.message)


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
