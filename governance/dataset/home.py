"""Where snapshots lie, on what condition anything leaves, and whose turn it is."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import connection

from governance.errors import ArenaError

#: Advisory lock of PostgreSQL: one snapshot is entered, handed over or touched by a withdrawal at a time.
LOCK = 6_964


class ExportRefused(ArenaError):
    """Nothing may leave while nobody is named whom people gave their consent to."""

    code = "no_legal_name"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            "Exports are refused until ARENA_LEGAL_NAME is set: nobody has agreed that anything leaves this machine."
        )


def require_legal_name() -> None:
    """Let an export pass.

    Raises:
        ExportRefused: no legal name is set.
    """
    if not settings.ARENA_LEGAL_NAME:
        raise ExportRefused


def snapshots_home() -> Path:
    """The folder that snapshots lie in."""
    return Path(settings.ARENA_DATA_DIR) / "snapshots"


def take_turn() -> None:
    """Have no snapshot entered or handed over, and none touched by a withdrawal, until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
