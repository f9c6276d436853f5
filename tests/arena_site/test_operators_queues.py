"""A queue shows what waits, due first, however much was done before; the rest is listed for whoever asks."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from governance.bounded_pages import REACHED
from governance.models import Withdrawal
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_judge

pytestmark = pytest.mark.django_db
LIST = "/admin/governance/withdrawal/"


def letter(days, **facts):
    received_at = timezone.now() - timedelta(days=days)
    return Withdrawal.objects.create(judge=make_judge(), channel="mail", received_at=received_at, **facts)


def listed(client, query=""):
    page = client.get(f"{LIST}{query}").content.decode()
    return list(dict.fromkeys(re.findall(r"/admin/governance/withdrawal/([0-9a-f-]{36})/change/", page)))


@pytest.fixture
def queue(client):
    """An old letter that waits behind more done ones than a list is paged through, and one of each other stage."""
    sign_in_operator(client, "data steward")
    now = timezone.now()
    rows = {
        "fresh": letter(1),
        "told later": letter(20, corpus_done_at=now),
        "called off": letter(5, called_off_at=now, called_off_reason="Another judge."),
        "old": letter(6),
    }
    done = {"corpus_done_at": now, "licensees_done_at": now, "channel": "site"}
    judge = make_judge()
    Withdrawal.objects.bulk_create([Withdrawal(judge=judge, **done) for _ in range(REACHED + 1)])
    return {name: str(row.pk) for name, row in rows.items()}


def test_what_waits_is_listed_due_first_and_what_is_done_only_when_asked_for(client, queue):
    assert listed(client) == [queue["old"], queue["fresh"], queue["told later"]]
    everything = listed(client, "?all=yes")
    assert len(everything) == 50
    assert not {queue["old"], queue["called off"]} & set(everything)


def test_whoever_searches_finds_what_was_done_too(client, queue):
    assert listed(client, f"?q={queue['called off']}") == [queue["called off"]]
    assert listed(client, f"?q={queue['old']}&all=yes") == [queue["old"]]


def test_only_a_letter_can_be_called_off(client):
    sign_in_operator(client, "data steward")
    asked = Withdrawal.objects.create(judge=make_judge(), channel="site")
    for row, offered in ((letter(6), True), (asked, False)):
        page = client.get(f"{LIST}{row.pk}/change/").content.decode()
        assert ("/act/call-off/" in page) is offered
    answer = client.post(f"{LIST}act/call-off/", {"ids": [asked.pk], "reason": "Too much work."})
    assert answer.status_code == 422
    assert "asked for this on the site" in answer.content.decode()
