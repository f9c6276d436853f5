"""Two who tell licensees at the same moment: a scheduled run and an operator's, say."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from governance.dataset.notices import tell
from governance.dataset_models import Delivery, Snapshot, WithdrawalNotice
from governance.licensing import register_licensee
from tests.governance.dataset.boards import ACTOR

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def notice():
    """Of a snapshot that a replacement is there for."""
    first, replacement = (
        Snapshot(digest=f"{number:064}", manifest="{}", path=f"nowhere-{number}", as_of="2026-01-01T00:00Z")
        for number in range(2)
    )
    first.save()
    replacement.replaces = first
    replacement.save()
    terms = {"terms": "For research."}
    licensee = register_licensee(name="One", address="one@example.org", actor=ACTOR, **terms).licensee
    Delivery.objects.create(snapshot=first, licensee=licensee, **terms)
    return WithdrawalNotice.objects.create(snapshot=first, licensee=licensee, due_at="2026-02-01T00:00Z")


def test_a_licensee_is_told_once_also_when_two_tell_at_the_same_moment(notice, monkeypatch):
    mailed = []

    def tell_too() -> None:
        try:
            tell(WithdrawalNotice.objects.get(pk=notice.pk), ACTOR)
        finally:
            connection.close()

    def while_somebody_else_tells(_subject, _words, _sender, to):
        mailed.extend(to)
        if len(mailed) == 1:
            with ThreadPoolExecutor(1) as threads:
                threads.submit(tell_too).result(60)

    monkeypatch.setattr("governance.dataset.notices.send_mail", while_somebody_else_tells)
    tell(notice, ACTOR)
    assert mailed == ["one@example.org"]
    notice.refresh_from_db()
    assert notice.channel == "mail"
