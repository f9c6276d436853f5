"""After a migration: what happened before the ledger, or before a kind was registered, is entered late."""

import logging
from typing import Any

from django.db import connection

from governance.ledger.entries import enter_missing
from governance.models import LedgerEntry

logger = logging.getLogger(__name__)


def enter_what_is_missing(**news: Any) -> None:
    """Enter journal rows that have no entry, marked as late; for ``post_migrate``."""
    if not _is_there():
        return
    late = enter_missing()
    if late:
        logger.info("%s earlier changes were entered into the ledger, marked as late", len(late))


def _is_there() -> bool:
    """Whether the ledger's table is: a migration may have stopped before it, or taken it back."""
    return LedgerEntry._meta.db_table in connection.introspection.table_names()
