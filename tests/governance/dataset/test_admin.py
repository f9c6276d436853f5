"""Operators' pages of the dataset: a steward registers, hands over and tells; each act leaves its row."""

import pytest
from django.utils import timezone

from governance.dataset.building import AlreadyReplaced, build_snapshot
from governance.dataset.draft import one_at_a_time
from governance.dataset.home import snapshots_home
from governance.dataset.replacing import owed, replace_snapshots
from governance.dataset_models import Delivery, Licensee, Snapshot, WithdrawalNotice
from governance.licensing import deliver_snapshot, register_licensee
from governance.models import JournalEntry
from governance.tasks import build, replace_one
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
    page, listed = f"{PAGES}/withdrawalnotice/{notice.pk}/change/", f"{PAGES}/withdrawalnotice/"
    assert page in client.get(listed).content.decode()
    client.post(f"{PAGES}/withdrawalnotice/act/told/", {"ids": [notice.pk], "reason": "By telephone."})
    notice.refresh_from_db()
    assert notice.channel == "hand"
    assert page not in client.get(listed).content.decode()
    assert page in client.get(listed, {"all": "yes"}).content.decode()
    actions = set(JournalEntry.objects.filter(actor=f"operator:{account.pk}").values_list("action", flat=True))
    assert actions >= {
        "governance:licensee:register",
        "governance:delivery:make",
        "governance:withdrawal_notice:send",
    }
    for page in ("snapshot", "licensee", "delivery", "withdrawalnotice"):
        assert client.get(f"{PAGES}/{page}/").status_code == 200
    assert client.get(f"{PAGES}/snapshot/{snapshot.pk}/change/").status_code == 200


@pytest.fixture
def withdrawn_from(monkeypatch):
    """A snapshot that a licensee without an address has, and that somebody withdrew from; its notice."""
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)
    battle = closed_battle()
    snapshot = build_snapshot(actor=ACTOR)
    licensee = register_licensee(name="Lab", terms="For research.", actor=ACTOR).licensee
    deliver_snapshot(snapshot=snapshot, licensee=licensee, actor=ACTOR)
    take_back(battle.task.judge)
    return snapshot, WithdrawalNotice.objects.get()


def test_a_steward_begins_a_replacement_and_leaves_one_row(
    client, monkeypatch, withdrawn_from, django_capture_on_commit_callbacks
):
    snapshot, notice = withdrawn_from
    rung = []
    monkeypatch.setattr("governance.dataset.requests._ring", lambda *about: rung.append(about))
    account = sign_in_operator(client, "data steward")
    page = f"{PAGES}/snapshot/{snapshot.pk}/change/"
    assert page in client.get(f"{PAGES}/withdrawalnotice/{notice.pk}/change/").content.decode()
    refused = client.post(f"{PAGES}/withdrawalnotice/act/told/", {"ids": [notice.pk], "reason": "By telephone."})
    assert f"on the page of snapshot {snapshot.pk} (Replace)" in refused.content.decode()
    assert f"{PAGES}/snapshot/act/replace/" in client.get(page).content.decode()
    before = JournalEntry.objects.count()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"{PAGES}/snapshot/act/replace/", {"ids": [snapshot.pk], "reason": "They wait for it."})
    [asked] = JournalEntry.objects.order_by("pk")[before:]
    assert (asked.actor, asked.subject) == (f"operator:{account.pk}", str(snapshot.pk))
    [(task, entry, _)] = rung
    assert (task, entry) == ("governance.replace_snapshot", str(asked.pk))
    replace_one(entry)
    replacement = Snapshot.objects.get(replaces=snapshot)
    made = JournalEntry.objects.get(action="governance:snapshot:build", subject=str(replacement.pk))
    assert (made.actor, made.reason) == (asked.actor, "They wait for it.")
    assert Delivery.objects.filter(snapshot=replacement, licensee=notice.licensee).exists()
    assert f"{PAGES}/snapshot/act/replace/" not in client.get(page).content.decode()
    replace_one(entry)
    assert Snapshot.objects.count() == 2


def test_a_replacement_that_was_asked_for_while_another_was_made_is_made_later(client, withdrawn_from, monkeypatch):
    snapshot, notice = withdrawn_from
    monkeypatch.setattr("governance.dataset.requests._ring", lambda *about: None)
    # Nobody waits for it but whoever asks, and there is a newer one.
    WithdrawalNotice.objects.filter(pk=notice.pk).update(sent_at=timezone.now(), channel="hand")
    closed_battle()
    build_snapshot(actor=ACTOR)
    assert owed() == []
    sign_in_operator(client, "data steward")
    client.post(f"{PAGES}/snapshot/act/replace/", {"ids": [snapshot.pk], "reason": "They wait for it."})
    asked = JournalEntry.objects.get(action="governance:snapshot:ask_replacement")
    with one_at_a_time(snapshots_home()):
        replace_one(str(asked.pk))
    assert owed() == [snapshot]
    [replacement] = replace_snapshots()
    assert (replacement.replaces, owed()) == (snapshot, [])
    with pytest.raises(AlreadyReplaced):
        build_snapshot(actor=ACTOR, replaces=snapshot)


def test_what_nobody_withdrew_from_is_not_replaced(client):
    closed_battle()
    snapshot = build_snapshot(actor=ACTOR)
    sign_in_operator(client, "data steward")
    answer = client.post(f"{PAGES}/snapshot/act/replace/", {"ids": [snapshot.pk], "reason": "Just so."})
    assert answer.status_code == 422
    assert not JournalEntry.objects.filter(action="governance:snapshot:ask_replacement").exists()


def test_who_is_no_steward_replaces_nothing(client, withdrawn_from):
    snapshot, _ = withdrawn_from
    sign_in_operator(client, "moderator")
    answer = client.post(f"{PAGES}/snapshot/act/replace/", {"ids": [snapshot.pk], "reason": "Just so."})
    assert answer.status_code in {403, 404}
    assert not JournalEntry.objects.filter(action="governance:snapshot:ask_replacement").exists()


def test_what_a_steward_asks_for_is_made_in_their_name(client, monkeypatch, django_capture_on_commit_callbacks):
    rung = []
    monkeypatch.setattr("governance.dataset.requests._ring", lambda task, entry, command: rung.append(entry))
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
