"""Asking for a snapshot or a replacement from a page: it is made in the background, in the name of whoever asked."""

from __future__ import annotations

import logging
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from governance.background import DEFAULT
from governance.dataset.chains import is_to_be_replaced
from governance.dataset.home import require_legal_name
from governance.dataset_models import Snapshot
from governance.errors import Conflict
from governance.journal import record
from governance.models import JournalEntry

logger = logging.getLogger(__name__)

ASKED = "governance:snapshot:ask"
REPLACEMENT_ASKED = "governance:snapshot:ask_replacement"
#: Sent by their names: whoever runs them loads what writes files, and whoever asks need not.
BUILD_TASK, REPLACE_ONE_TASK = "governance.build_snapshot", "governance.replace_snapshot"


class BrokerAway(Conflict):
    code = "broker_away"

    def __init__(self, command: str) -> None:
        super().__init__(f"The workers cannot be reached just now. Please try again, or use manage.py {command}.")


class NotToBeReplaced(Conflict):
    """Only what a withdrawal touched is replaced, and once."""

    code = "not_to_be_replaced"

    def __init__(self) -> None:
        super().__init__("Nothing was withdrawn from this snapshot, or it is replaced already.")


@transaction.atomic
def ask_for_snapshot(*, actor: str, reason: str) -> JournalEntry:
    """Have a snapshot made.

    Raises:
        ExportRefused: no legal name is set.
    """
    require_legal_name()
    entry = record(actor=actor, action=ASKED, subject="snapshot", reason=reason)
    transaction.on_commit(partial(_ring, BUILD_TASK, str(entry.pk), "snapshot build"))
    return entry


@transaction.atomic
def ask_for_replacement(*, snapshot: Snapshot, actor: str, reason: str) -> JournalEntry:
    """Have a snapshot that was withdrawn from made again without that, and whoever has it told.

    Raises:
        ExportRefused: no legal name is set.
        NotToBeReplaced: nothing was withdrawn from it, or it is replaced already.
    """
    require_legal_name()
    if not is_to_be_replaced(snapshot):
        raise NotToBeReplaced
    entry = record(actor=actor, action=REPLACEMENT_ASKED, subject=str(snapshot.pk), reason=reason)
    transaction.on_commit(partial(_ring, REPLACE_ONE_TASK, str(entry.pk), "snapshot replace"))
    return entry


def asked_for() -> set[str]:
    """Identifiers of snapshots whose replacement somebody asked for, whether it is made by now or not."""
    return set(JournalEntry.objects.filter(action=REPLACEMENT_ASKED).values_list("subject", flat=True))


def _ring(task: str, entry: str, command: str) -> None:
    try:
        current_app.send_task(task, args=[entry], queue=DEFAULT)
    except OperationalError as problem:
        raise BrokerAway(command) from problem
