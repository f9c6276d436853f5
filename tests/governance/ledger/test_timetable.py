"""The head is signed by the clock, and a gap in that shows."""

import base64
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings as configured
from django.utils import timezone

from governance.ledger.checkpoints import LedgerRewritten, checkpoint_in_force, latest_checkpoint
from governance.ledger.entries import tree_size
from governance.ledger.timetable import SIGNED_EVERY, SIGNED_WITHIN, sign_on_time, signing_is_late, waits_since
from governance.tasks import sign_ledger
from tests.governance.ledger.tampering import enter, tamper

pytestmark = [pytest.mark.django_db, pytest.mark.production, pytest.mark.usefixtures("key_folder")]


def test_the_clock_signs_as_often_as_is_stated():
    [entry] = [entry for entry in configured.CELERY_BEAT_SCHEDULE.values() if entry["task"] == "governance.sign_ledger"]
    assert entry["schedule"] == SIGNED_EVERY < SIGNED_WITHIN


def test_the_head_is_signed_without_anybody_asking_and_only_where_the_ledger_has_grown():
    enter(1)
    sign_ledger()
    first = latest_checkpoint()
    assert first.size == tree_size()
    sign_ledger()
    assert latest_checkpoint().made_at == first.made_at
    enter(1)
    sign_ledger()
    assert latest_checkpoint().size == tree_size() > first.size


def test_an_entry_without_a_signature_is_a_gap_after_the_stated_time():
    enter(1)
    checkpoint_in_force()
    assert waits_since() is None
    enter(1)
    waiting = waits_since()
    assert not signing_is_late(waiting + SIGNED_WITHIN)
    with time_machine.travel(waiting + SIGNED_WITHIN + timedelta(seconds=1)):
        assert signing_is_late()
        sign_on_time()
        assert not signing_is_late()


def test_what_was_entered_late_waits_since_the_last_head_and_not_since_it_happened():
    enter(1)
    with time_machine.travel(timezone.now() - timedelta(days=3)):
        enter(1)
    before = timezone.now()
    assert waits_since() < before
    checkpoint_in_force()
    with time_machine.travel(timezone.now() - timedelta(days=3)):
        enter(1)
    assert waits_since() >= before
    assert not signing_is_late()


def test_where_nothing_can_be_signed_the_task_says_so_and_does_not_fail(caplog):
    enter(1)
    head = sign_on_time()
    enter(1)
    root = head.text.splitlines()[2]
    tamper(
        "governance_ledgercheckpoint",
        "UPDATE governance_ledgercheckpoint SET text = replace(text, %s, %s)",
        [root, base64.b64encode(bytes(32)).decode()],
    )
    with pytest.raises(LedgerRewritten):
        checkpoint_in_force()
    assert sign_on_time() is None
    assert "not signed" in caplog.text
