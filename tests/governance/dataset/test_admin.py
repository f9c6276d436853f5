"""Operators' pages of the dataset: a steward registers, hands over and tells; each act leaves its row."""

import pytest

from governance.dataset.building import build_snapshot
from governance.dataset.replacing import replace_snapshots
from governance.dataset_models import Delivery, Licensee, WithdrawalNotice
from governance.models import JournalEntry
from governance.tasks import build
from tests.arena_site.operators import sign_in_operator
from tests.governance.dataset.boards import ACTOR, closed_battle, take_back

pytestmark = pytest.mark.django_db

PAGES = "/admin/governance"


def test_a_steward_registers_hands_over_and_tells(client, monkeypatch):
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)
    account = sign_in_operator(client, "data steward")
    battle = closed_battle()
    snapshot = build_snapshot(actor=ACTOR)
    wanted = {"name": "Lab", "terms": "For research.", "provider": "", "address": "", "reason": "They signed."}
    told = client.post(f"{PAGES}/licensee/act/register/", wanted)
    assert "It is not shown again." in told.content.decode()
    licensee = Licensee.objects.get()
    client.post(
        f"{PAGES}/snapshot/act/deliver/", {"ids": [snapshot.pk], "licensee": licensee.pk, "reason": "As agreed."}
    )
    assert Delivery.objects.get().licensee == licensee
    take_back(battle.task.judge)
    replace_snapshots()
    notice = WithdrawalNotice.objects.get(sent_at=None)
    assert "Tell Lab of a withdrawal" in client.get("/admin/").content.decode()
    client.post(f"{PAGES}/withdrawalnotice/act/told/", {"ids": [notice.pk], "reason": "By telephone."})
    notice.refresh_from_db()
    assert notice.channel == "hand"
    actions = set(JournalEntry.objects.filter(actor=f"operator:{account.pk}").values_list("action", flat=True))
    assert actions >= {
        "governance:licensee:register",
        "governance:delivery:make",
        "governance:withdrawal_notice:send",
    }
    for page in ("snapshot", "licensee", "delivery", "withdrawalnotice"):
        assert client.get(f"{PAGES}/{page}/").status_code == 200
    assert client.get(f"{PAGES}/snapshot/{snapshot.pk}/change/").status_code == 200


def test_what_a_steward_asks_for_is_made_in_their_name(client, monkeypatch, django_capture_on_commit_callbacks):
    rung = []
    monkeypatch.setattr("governance.dataset.requests._ring", rung.append)
    account = sign_in_operator(client, "data steward")
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"{PAGES}/snapshot/act/make/", {"reason": "The first one."})
    build(*rung)
    made = JournalEntry.objects.get(action="governance:snapshot:build")
    assert (made.actor, made.reason) == (f"operator:{account.pk}", "The first one.")


def test_whoever_only_looks_hands_nothing_over(client):
    sign_in_operator(client, "viewer")
    answer = client.post(f"{PAGES}/licensee/act/register/", {"name": "Lab", "terms": "x", "reason": "y"})
    assert answer.status_code in {403, 404}
    assert not Licensee.objects.exists()
