"""No line of a log is kept for longer than stated, and every night leaves a record."""

import os
import time

import pytest

from arena_site.log_retention import ACTION, LOGS_KEPT, TURNED_AFTER, retain_logs
from governance.models import JournalEntry

pytestmark = pytest.mark.django_db

DAY = 86_400.0


def test_a_line_is_gone_after_the_stated_time_and_its_writer_goes_on(tmp_path):
    log = tmp_path / "web.log"
    with log.open("a") as writing:
        writing.write("first\n")
        writing.flush()
        began = time.time()
        assert retain_logs(tmp_path, now=began).turned == 1
        writing.write("second\n")
        writing.flush()
        assert log.read_text() == "second\n"
        turn = TURNED_AFTER.total_seconds()
        assert retain_logs(tmp_path, now=began + turn - DAY).turned == 0
        assert retain_logs(tmp_path, now=began + turn + DAY).turned == 1
        kept = "".join(path.read_text() for path in tmp_path.iterdir())
        assert kept == "second\n"
    assert LOGS_KEPT == 2 * TURNED_AFTER


def test_what_was_set_aside_goes_also_when_nothing_is_written_any_more(tmp_path):
    aside = tmp_path / "old.log.1"
    aside.write_text("long ago")
    now = time.time()
    os.utime(aside, (now, now))
    assert retain_logs(tmp_path, now=now + LOGS_KEPT.total_seconds() - DAY).deleted == 0
    assert retain_logs(tmp_path, now=now + LOGS_KEPT.total_seconds() + DAY).deleted == 1
    assert not aside.exists()


def test_every_run_is_on_record_also_without_logs(tmp_path):
    retain_logs(tmp_path / "none")
    row = JournalEntry.objects.get(action=ACTION)
    assert row.detail == {"turned": 0, "deleted": 0, "failed": 0, "days": 30}
