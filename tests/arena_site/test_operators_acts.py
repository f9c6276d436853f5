"""Acts of operators: each has a reason, is somebody's to do, and leaves one row in the journal for each object."""

import csv
import io
import re
from dataclasses import replace

import pytest
from django.contrib import admin

from battles.models import Agent
from governance.admin_base import OperatorAdmin
from governance.journal import record
from governance.models import JournalEntry, Judge
from governance.operator_acts import NothingDone, Unrecorded, perform
from governance.withdrawals import act_on, request_withdrawal
from judging.models import Exclusion, TrustChange
from judging.trust import suspend_judge
from tests.arena_site.operators import make_operator, sign_in_operator
from tests.battles.factories import make_agent, make_judge, make_votable
from tests.ratings.test_trust_reaches_the_ranking import judged

pytestmark = pytest.mark.django_db

SUSPEND = "/admin/governance/judge/act/suspend/"
ACT_ON = "/admin/governance/withdrawal/act/act/"


def pages():
    return list(admin.site._registry.values())


def test_an_act_without_a_reason_does_nothing(client):
    sign_in_operator(client, "moderator")
    judge = make_judge()
    for reason in ("", "  \n"):
        answer = client.post(SUSPEND, {"ids": [judge.pk], "reason": reason})
        assert answer.status_code == 422
    assert not TrustChange.objects.exists()


def test_a_bulk_act_leaves_one_row_for_each_object_under_its_operator(client):
    account = sign_in_operator(client, "moderator")
    judges = [make_judge() for _ in range(3)]
    ids = [judge.pk for judge in judges]
    chosen = client.post("/admin/governance/judge/", {"action": "suspend", "_selected_action": ids, "index": "0"})
    assert chosen.status_code == 302
    page = client.get(chosen.url)
    assert all(pk in page.content.decode() for pk in ids)
    asked = {"ids": ids, "reason": "They vote as one."}
    client.post(SUSPEND, asked | {"confirmed": seal_on(client.post(SUSPEND, asked))})
    entries = JournalEntry.objects.filter(action="judging:judge:suspended")
    assert sorted(entry.subject for entry in entries) == sorted(ids)
    assert {(entry.actor, entry.reason) for entry in entries} == {(f"operator:{account.pk}", "They vote as one.")}


def test_all_of_a_bulk_act_is_done_or_none_of_it(client):
    sign_in_operator(client, "moderator")
    judges = [make_judge() for _ in range(2)]
    suspend_judge(judge=judges[0], actor="operator:1", reason="Before.")
    answer = client.post(SUSPEND, {"ids": [judge.pk for judge in judges], "reason": "Both."})
    assert answer.status_code == 422
    assert "suspended already" in answer.content.decode()
    assert TrustChange.objects.count() == 1


def test_an_act_that_leaves_no_record_is_undone():
    page = admin.site._registry[Judge]
    judge = make_judge()
    act = next(act for act in page.acts if act.name == "suspend")

    def silent(*, row, actor, reason):
        TrustChange.objects.create(judge=row, before="new", state="suspended", actor=actor, reason=reason)

    def under_another_name(*, row, actor, reason):
        record(actor="system:somebody", action="judging:judge:suspended", subject=row.pk, reason=reason)

    for do, refusal in ((silent, NothingDone), (under_another_name, Unrecorded)):
        with pytest.raises(refusal):
            perform(replace(act, do=do), rows=[judge], actor="operator:1", values={"reason": "Why."})
    assert not TrustChange.objects.exists()


def test_what_somebody_did_meanwhile_is_said_and_not_done_again(client):
    sign_in_operator(client, "data steward")
    letters = [
        request_withdrawal(judge=make_judge(), actor="operator:2", channel="mail", reason="A letter.") for _ in range(2)
    ]
    asked = {"ids": [letter.pk for letter in letters], "reason": "By letter."}
    assert client.get(ACT_ON, asked).status_code == 200
    act_on(withdrawal=letters[1], actor="system:sweep")
    answer = client.post(ACT_ON, asked)
    assert answer.status_code == 422
    assert "done already" in answer.content.decode()
    letters[0].refresh_from_db()
    assert letters[0].corpus_done_at is None
    assert client.post(ACT_ON, asked | {"ids": [letters[0].pk]}).status_code == 302


def test_nothing_is_added_changed_or_deleted_by_a_form(client):
    account = sign_in_operator(client)
    battle = make_votable()
    rows = {"battles/agent": battle.agent_a_id, "battles/battle": battle.pk, "governance/judge": battle.task.judge_id}
    for path, pk in rows.items():
        assert client.get(f"/admin/{path}/add/").status_code == 404
        assert client.get(f"/admin/{path}/{pk}/delete/").status_code == 404
        assert client.get(f"/admin/{path}/{pk}/history/").status_code == 404
        deleted = {"action": "delete_selected", "_selected_action": [pk], "index": "0"}
        client.post(f"/admin/{path}/", deleted)
        changed = client.post(f"/admin/{path}/{pk}/change/", {"name": "Another", "state": "retired"})
        assert changed.status_code == 405
    assert Agent.objects.get(pk=battle.agent_a_id).state == "active"
    for page in pages():
        assert isinstance(page, OperatorAdmin)
        assert not page.has_delete_permission(_request(account))
        assert not page.has_add_permission(_request(account))


def _request(account):
    return type("Request", (), {"user": account})()


def test_nobody_is_above_a_reason(client):
    account = make_operator("")
    account.is_superuser = True
    account.save()
    sign_in_operator(client, account=account)
    answer = client.post(SUSPEND, {"ids": [make_judge().pk]})
    assert answer.status_code == 422


def test_an_agent_joins_and_leaves_by_the_use_cases(client):
    sign_in_operator(client)
    fields = {
        "key": "acme-surfer-3",
        "name": "Acme Surfer 3",
        "provider": "Acme",
        "adapter": "reference-random",
        "model_version": "acme-surfer-3-20260901",
        "kind": "model",
        "parameters": "{}",
    }
    refused = client.post("/admin/battles/agent/act/roster/", fields | {"model_version": ""})
    assert refused.status_code == 422
    assert client.post("/admin/battles/agent/act/roster/", fields | {"reason": "It was published."}).status_code == 302
    entry = JournalEntry.objects.get(action="battles:agent:roster")
    assert (entry.subject, entry.reason) == ("acme-surfer-3", "It was published.")
    leaving = {"ids": ["acme-surfer-3"], "reason": "The maker took it back.", "cause": "version_withdrawn"}
    client.post("/admin/battles/agent/act/retire/", leaving)
    assert Agent.objects.get(pk="acme-surfer-3").retirement_reason == "The maker took it back."


def seal_on(answer):
    """What the page sends back when it is confirmed; "" where nothing can be."""
    found = re.search(r'name="confirmed" value="([0-9a-f]{64})"', answer.content.decode())
    return found[1] if found else ""


def test_an_exclusion_is_shown_before_it_is_made(client):
    sign_in_operator(client, "moderator")
    battle, other = make_votable(), make_votable()
    address = "/admin/battles/battle/act/exclude/"
    first = client.post(address, {"ids": [battle.pk], "reason": "Staged."})
    assert "What it would do to the ranks" in first.content.decode()
    assert not battle.exclusions.exists()
    seal = seal_on(first)
    # Whoever confirms has seen what this does: not what something else would do, and not nothing.
    for ids, sent in (([battle.pk], "1"), ([battle.pk], ""), ([battle.pk, other.pk], seal), ([other.pk], seal)):
        again = client.post(address, {"ids": ids, "reason": "Staged.", "confirmed": sent})
        assert seal_on(again) not in {"", sent}
        assert not Exclusion.objects.exists()
    client.post(address, {"ids": [battle.pk], "reason": "Staged.", "confirmed": seal})
    assert battle.exclusions.get().reason == "Staged."
    assert JournalEntry.objects.filter(action="judging:battle:exclude").count() == 1


def test_an_effect_that_changed_meanwhile_is_shown_again(client):
    sign_in_operator(client, "moderator")
    agents = make_agent("one"), make_agent("other")
    votes = [judged(agents, "one" if number % 3 else "other", make_judge()) for number in range(6)]
    asked = {"ids": [votes[0].pk], "reason": "Staged."}
    seal = seal_on(client.post("/admin/judging/vote/act/exclude/", asked))
    judged(agents, "one", make_judge())
    again = client.post("/admin/judging/vote/act/exclude/", asked | {"confirmed": seal})
    assert "has changed since you looked" in again.content.decode()
    assert not Exclusion.objects.exists()
    client.post("/admin/judging/vote/act/exclude/", asked | {"confirmed": seal_on(again)})
    assert Exclusion.objects.get().vote == votes[0]


def test_an_export_is_recorded_and_runs_nothing_in_a_spreadsheet(client):
    account = sign_in_operator(client, "viewer")
    record(actor="operator:1", action="battles:agent:retire", subject="x", reason='=HYPERLINK("http://a")')
    answer = client.post("/admin/governance/journalentry/act/export/", {"reason": "For the auditor."})
    rows = list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert rows[0] == ["at", "actor", "actor_erased_at", "action", "subject", "reason"]
    assert rows[2][5] == '\'=HYPERLINK("http://a")'
    assert JournalEntry.objects.filter(action="governance:export:csv", actor=f"operator:{account.pk}").count() == 1


def test_what_cannot_be_looked_up_is_not_there(client):
    sign_in_operator(client)
    make_agent("known")
    for path in ("governance/judge", "battles/battle", "judging/vote", "ratings/refit", "governance/ledgerentry"):
        assert client.get(f"/admin/{path}/", {"q": "no such thing"}).status_code == 200
        for key in ("nothing", "%00", "-1", "a'b"):
            assert client.get(f"/admin/{path}/{key}/change/").status_code == 404
    assert "known" in client.get("/admin/battles/agent/", {"q": "known"}).content.decode()
    assert client.get(SUSPEND, {"ids": [str(number) for number in range(101)]}).status_code == 404
