"""C33: who was erased stays two different keys in the audit, each with the day since which it names nobody."""

import csv
import io

import pytest

from governance.actors import shown_actors
from governance.models import JournalEntry, Judge
from governance.withdrawals import act_on, read_wanted, request_withdrawal
from judging.models import Vote
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_judge, make_task, make_votable
from tests.judging.handing import make_signed_in, say

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def erased():
    """One who asked to be forgotten and one who took everything back; both voted."""
    judges = []
    for what in ("identity", "everything"):
        judge = make_signed_in()
        say(make_votable(task=make_task(judge)), judge, "tie")
        asked = request_withdrawal(judge=judge, actor=f"judge:{judge.pk}", wanted=read_wanted(what))
        act_on(withdrawal=asked, actor=f"judge:{judge.pk}")
        judges.append(Judge.objects.get(pk=judge.pk))
    return judges


def rows_of(judges):
    """Which rows of the audit are of what these did."""
    actors = [f"judge:{judge.pk}" for judge in judges]
    return list(JournalEntry.objects.filter(actor__in=actors).order_by("pk").values_list("pk", flat=True))


def since(judge):
    return f"judge:{judge.pk} (erased {judge.erased_at:%Y-%m-%d %H:%M} UTC)"


def test_lists_pages_and_exports_of_operators_say_since_when_an_actor_is_nobody(client, erased):
    there = make_judge()
    audit = rows_of(erased)
    sign_in_operator(client)
    listed = client.get("/admin/governance/journalentry/").content.decode()
    for judge in erased:
        assert since(judge) in listed
    assert f"judge:{there.pk}" in listed
    assert f"judge:{there.pk} (erased" not in listed
    row = JournalEntry.objects.filter(actor=f"judge:{erased[0].pk}").first()
    assert since(erased[0]) in client.get(f"/admin/governance/journalentry/{row.pk}/change/").content.decode()
    asked = erased[1].withdrawals.get()
    assert since(erased[1]) in client.get(f"/admin/governance/withdrawal/{asked.pk}/change/").content.decode()
    # Its task went, so that they are who made it void.
    battle = Vote.objects.get(judge=erased[1]).battle_id
    assert since(erased[1]) in client.get(f"/admin/battles/battle/{battle}/change/").content.decode()
    answer = client.post("/admin/governance/journalentry/act/export/", {"reason": "For the auditor."})
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    told = {row["actor"]: row["actor_erased_at"] for row in rows}
    assert [told[f"judge:{judge.pk}"] for judge in erased] == [str(judge.erased_at) for judge in erased]
    assert told[f"judge:{there.pk}"] == ""
    assert rows_of(erased) == audit


def test_actors_who_are_no_judges_are_shown_as_they_are(erased):
    actors = ["operator:3", "system:withdrawals", "judge:nobody", f"judge:{erased[0].pk}"]
    shown = shown_actors(actors)
    assert [shown[actor] for actor in actors] == [*actors[:3], since(erased[0])]
