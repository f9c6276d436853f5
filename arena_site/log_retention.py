"""How long logs are kept: lines of a log live for between one and two times :data:`TURNED_AFTER`."""

from __future__ import annotations

import shutil
import time
import uuid
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings

from governance.journal import record

#: A log is set aside after so long, and what was set aside before it goes: no line is older than twice that.
TURNED_AFTER = timedelta(days=15)
LOGS_KEPT = 2 * TURNED_AFTER

ACTOR = "system:retention"
ACTION = "arena:logs:retain"


@dataclass(frozen=True, slots=True)
class LogsRetained:
    """Logs that were set aside, files that were deleted, and files the system did not let us touch."""

    turned: int
    deleted: int
    failed: int


def retain_logs(folder: Path | None = None, *, now: float | None = None) -> LogsRetained:
    """Do what is due by now in the folder of logs, and write one row to the journal.

    Args:
        folder: where they lie; ``logs`` of the data folder unless a test says otherwise.
        now: seconds since the epoch.
    """
    folder = folder or settings.ARENA_DATA_DIR / "logs"
    now = time.time() if now is None else now
    turned = deleted = failed = 0
    for log in sorted(folder.glob("*.log")) if folder.is_dir() else ():
        try:
            turned += _turn(log, now)
        except OSError:
            failed += 1
    for aside in sorted(folder.glob("*.log.1")) if folder.is_dir() else ():
        try:
            if now - aside.stat().st_mtime >= LOGS_KEPT.total_seconds():
                aside.unlink()
                deleted += 1
        except OSError:
            failed += 1
    retained = LogsRetained(turned, deleted, failed)
    record(
        actor=ACTOR,
        action=ACTION,
        subject=str(uuid.uuid4()),
        turned=turned,
        deleted=deleted,
        failed=failed,
        days=LOGS_KEPT.days,
    )
    return retained


def _turn(log: Path, now: float) -> bool:
    """Set a log aside in place of the one before it, unless that was done of late. Who writes to it goes on writing."""
    aside = log.with_suffix(".log.1")
    if not log.stat().st_size or (aside.exists() and now - aside.stat().st_mtime < TURNED_AFTER.total_seconds()):
        return False
    shutil.copyfile(log, aside)
    aside.chmod(log.stat().st_mode & 0o777)
    with log.open("r+b") as written:
        written.truncate(0)
    return True
