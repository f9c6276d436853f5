"""The consent archive proves itself whole, and whatever is changed in it is named."""

import json
from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from governance.consent import current_text, give_consent
from governance.models import Judge
from tests.governance.ledger.tampering import tamper

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def run(*words):
    out = StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("verify_consent", *words, stdout=out)
    return stopped.value.code, out.getvalue()


@pytest.fixture
def archive(settings, later):
    """Two texts, the second naming a grantee, with two people's receipts for each."""
    people = [Judge.objects.create(), Judge.objects.create()]
    for name in ("", "Example Institute"):
        settings.ARENA_LEGAL_NAME = name
        text = current_text()
        for judge in people:
            give_consent(judge=judge, text=text, rendered=text.sentence)
        later(timedelta(seconds=1))


@pytest.fixture
def later():
    """Moves the clock on, from a minute before now."""
    with time_machine.travel(timezone.now() - timedelta(minutes=1)) as traveller:
        yield traveller.shift


def test_an_empty_archive_is_whole():
    assert run()[0] == 0


def test_a_whole_archive_says_what_was_checked(archive):
    status, out = run("--json")
    assert status == 0
    assert json.loads(out) == {"texts": 2, "receipts": 4, "problems": [], "whole": True}
    assert "2 consent texts and 4 receipts checked, 0 differences" in run()[1]


TEXTS, RECEIPTS = "governance_consenttext", "governance_consentreceipt"
TAMPERINGS = [
    (TEXTS, "UPDATE {} SET sentence = sentence || ' Ever.' WHERE version = 2", "Consent text 2: the sentence is not"),
    (TEXTS, "UPDATE {} SET sha256 = repeat('0', 64) WHERE version = 1", "Consent text 1: the sentence is not"),
    (
        TEXTS,
        "UPDATE {} SET sentence = ' ', sha256 = encode(sha256(' '), 'hex') WHERE version = 1",
        "Consent text 1 says nothing",
    ),
    (TEXTS, "UPDATE {} SET grantee = 'Somebody Else' WHERE version = 2", 'given to "Somebody Else"'),
    (TEXTS, "UPDATE {} SET version = 4 WHERE version = 2", "Consent text 4 follows version 1"),
    (
        TEXTS,
        "UPDATE {} SET effective_from = effective_from - interval '1 day' WHERE version = 2",
        "no later than version 1",
    ),
    (
        TEXTS,
        "UPDATE {} SET effective_from = now() + interval '1 day' WHERE version = 2",
        "Consent text 2 is in use and takes effect only on",
    ),
    (
        TEXTS,
        "UPDATE {} SET effective_from = effective_from + interval '30 seconds' WHERE version = 2",
        "was given before version 2 took effect",
    ),
    (
        TEXTS,
        "UPDATE {0} SET sentence = (SELECT sentence FROM {0} WHERE version = 1) WHERE version = 2",
        "says the same as version 1",
    ),
    (TEXTS, "DELETE FROM {} WHERE version = 2", "points at version 2, which is not archived"),
    (RECEIPTS, "UPDATE {} SET text_id = 9 WHERE text_id = 2", "points at version 9, which is not archived"),
    (RECEIPTS, "UPDATE {} SET rendered_sha256 = repeat('0', 64)", "what was shown is not the sentence of version 1"),
    (RECEIPTS, "UPDATE {} SET language = 'de'", "was given in 'de' for a text in 'en'"),
    (
        RECEIPTS,
        "UPDATE {0} SET judge_id = repeat('0', 32) WHERE id = (SELECT id FROM {0} LIMIT 1)",
        "belongs to nobody",
    ),
]


@pytest.mark.parametrize(("table", "statement", "named"), TAMPERINGS)
def test_what_was_changed_is_named(archive, table, statement, named):
    tamper(table, statement.format(table))
    status, out = run()
    assert status == 1
    assert named in out
    assert json.loads(run("--json")[1])["whole"] is False
