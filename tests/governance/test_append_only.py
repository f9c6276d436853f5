"""Tables that the database itself keeps from changing."""

import pytest
from django.db import IntegrityError, connection, transaction

from governance.consent import current_text
from governance.journal import record
from governance.models import ConsentText, JournalEntry

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def refused(action):
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        action()


def test_journal_entries_can_be_added_and_never_changed():
    entry = record(actor="system:test", action="governance:test:write", subject="1")
    refused(lambda: JournalEntry.objects.filter(pk=entry.pk).update(reason="other"))
    refused(lambda: JournalEntry.objects.filter(pk=entry.pk).delete())
    refused(entry.delete)
    assert JournalEntry.objects.get(pk=entry.pk).reason == ""


def test_raw_sql_and_truncate_are_refused_too():
    text = current_text()

    def run(statement):
        with connection.cursor() as cursor:
            cursor.execute(statement)

    refused(lambda: run("UPDATE governance_consenttext SET sentence = 'I give everything away.'"))
    refused(lambda: run("DELETE FROM governance_journalentry"))
    run("SET CONSTRAINTS ALL IMMEDIATE")
    refused(lambda: run("TRUNCATE governance_journalentry CASCADE"))
    assert ConsentText.objects.get(pk=text.pk).sentence == text.sentence
