"""A withdrawal after a snapshot was licensed (acceptance case C35), and the licences themselves."""

import json

import pytest
from django.core import mail
from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from governance.dataset.building import build_snapshot
from governance.dataset.home import ExportRefused, snapshots_home
from governance.dataset.notices import NotYetReplaced, record_notice
from governance.dataset.recalls import snapshots_touched, told_of
from governance.dataset.replacing import owed, replace_snapshots
from governance.dataset.verifying import verify_folder
from governance.dataset_models import Delivery, Snapshot, WithdrawalNotice
from governance.errors import Conflict
from governance.ledger.verification import verify_ledger
from governance.licensing import (
    LicenseeRefused,
    SnapshotGone,
    deliver_snapshot,
    end_licence,
    is_served,
    newest_snapshot,
    register_licensee,
    touched_deliveries,
)
from governance.models import LedgerEntry
from judging.models import Vote
from tests.battles.factories import make_judge, make_task
from tests.governance.dataset.boards import ACTOR, closed_battle, manifest, rows, take_back, vote

pytestmark = pytest.mark.django_db


def licensed(name, **fields):
    return register_licensee(name=name, terms="For research.", actor=ACTOR, **fields)


@pytest.fixture
def delivered(django_capture_on_commit_callbacks):
    """A snapshot with the task t9, its four votes and another battle; two licensees have it."""
    owner = make_judge()
    task = make_task(owner, instruction="Look up t9.")
    battle = closed_battle(owner, task=task)
    for _ in range(4):
        vote(battle)
    closed_battle()
    with django_capture_on_commit_callbacks(execute=True):
        snapshot = build_snapshot(actor=ACTOR)
    licensees = [licensed("One", address="one@licensee.example"), licensed("Two", address="two@licensee.example")]
    for each in licensees:
        deliver_snapshot(snapshot=snapshot, licensee=each.licensee, actor=ACTOR)
    return owner, task, snapshot, licensees


@pytest.fixture
def withdrawn(delivered, django_capture_on_commit_callbacks, monkeypatch):
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)
    owner, task, snapshot, licensees = delivered
    with django_capture_on_commit_callbacks(execute=True):
        withdrawal = take_back(owner, scope="task", subject=task.pk)
    return withdrawal, snapshot, licensees


def test_who_is_forgotten_takes_back_the_words_in_every_snapshot_with_a_label_of_theirs(
    django_capture_on_commit_callbacks, monkeypatch
):
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)
    judge = make_judge()
    vote(closed_battle(), judge, note="The left one read the hours.")
    with django_capture_on_commit_callbacks(execute=True):
        snapshot = build_snapshot(actor=ACTOR)
    assert [row["note"] for row in rows(snapshot, "votes")] == ["The left one read the hours."]
    with django_capture_on_commit_callbacks(execute=True):
        take_back(judge, scope="identity")
    assert not is_served(snapshot)
    with django_capture_on_commit_callbacks(execute=True):
        (replacement,) = replace_snapshots()
    assert [row["note"] for row in rows(replacement, "votes")] == [""]


def test_who_takes_everything_back_is_in_no_snapshot_also_with_what_went_before(
    django_capture_on_commit_callbacks, monkeypatch
):
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)
    judge = make_judge()
    last = vote(closed_battle(), judge)
    with django_capture_on_commit_callbacks(execute=True):
        snapshot = build_snapshot(actor=ACTOR)
    licensee = licensed("One", address="one@licensee.example").licensee
    deliver_snapshot(snapshot=snapshot, licensee=licensee, actor=ACTOR)
    # As when a device signed in whose account had said the same before.
    Vote.objects.filter(pk=last.pk).update(withdrawn_at=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        withdrawal = take_back(judge)
    assert not any(withdrawal.removed.values())
    assert not is_served(snapshot)
    assert WithdrawalNotice.objects.get().licensee == licensee


def test_what_a_withdrawal_touches_is_served_no_more_at_once(withdrawn, client):
    withdrawal, snapshot, licensees = withdrawn
    assert not is_served(snapshot)
    assert not (snapshots_home() / snapshot.path).exists()
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {licensees[0].token}"}
    asked = client.get(reverse("snapshot_file", args=[snapshot.pk, "manifest.json"]), **bearer)
    assert (asked.status_code, asked.json()["code"]) == (410, "snapshot_gone")
    assert client.get(reverse("dataset_manifest"), {"snapshot": snapshot.pk}, **bearer).status_code == 410
    with pytest.raises(SnapshotGone):
        deliver_snapshot(snapshot=snapshot, licensee=licensed("Three").licensee, actor=ACTOR)
    assert {delivery.licensee.name for delivery in touched_deliveries()} == {"One", "Two"}
    withdrawal.refresh_from_db()
    assert withdrawal.licensees_done_at is None


def test_the_replacement_is_without_it_and_both_licensees_are_told(withdrawn):
    withdrawal, snapshot, _ = withdrawn
    [replacement] = replace_snapshots()
    assert replacement.replaces == snapshot
    assert replacement.pk != snapshot.pk
    assert replacement.digest != snapshot.digest
    removed = manifest(replacement)["replaces"]["removed"]
    assert {name: removed[name] for name in ("tasks", "battles", "votes", "lanes", "agents")} == {
        "tasks": 1,
        "battles": 1,
        "votes": 4,
        "lanes": 2,
        "agents": 2,
    }
    assert [row["instruction"] for row in rows(replacement, "tasks")] == ["Find the opening hours of the town library."]
    assert verify_folder(snapshots_home() / replacement.path, digest=replacement.digest).problems == []
    assert WithdrawalNotice.objects.filter(sent_at__isnull=False, channel="mail").count() == 2
    assert sorted(message.to[0] for message in mail.outbox) == ["one@licensee.example", "two@licensee.example"]
    assert all(snapshot.digest in message.body and replacement.digest in message.body for message in mail.outbox)
    assert list(touched_deliveries()) == []
    withdrawal.refresh_from_db()
    assert withdrawal.licensees_done_at is not None


def test_the_digest_of_what_is_gone_stays_in_the_log(withdrawn):
    _, snapshot, _ = withdrawn
    replace_snapshots()
    entries = LedgerEntry.objects.filter(kind="governance:snapshot:build").order_by("index")
    assert [json.loads(entry.text)["subject"] for entry in entries] == [
        snapshot.digest,
        Snapshot.objects.get(replaces=snapshot).digest,
    ]
    assert LedgerEntry.objects.filter(kind="governance:withdrawal_notice:send").count() == 2
    assert verify_ledger().problems == []


def test_whoever_withdrew_reads_what_became_of_it(withdrawn):
    withdrawal, snapshot, _ = withdrawn
    [before] = told_of(withdrawal)
    assert (before.snapshot, before.replacement, before.licensees, before.told) == (snapshot, None, 2, 0)
    [replacement] = replace_snapshots()
    [after] = told_of(withdrawal)
    assert (after.replacement, after.licensees, after.told) == (replacement, 2, 2)


def test_replacing_twice_changes_nothing(withdrawn):
    replace_snapshots()
    counts = Snapshot.objects.count(), Delivery.objects.count(), len(mail.outbox)
    assert replace_snapshots() == []
    assert (Snapshot.objects.count(), Delivery.objects.count(), len(mail.outbox)) == counts


def test_a_licensee_without_an_address_is_told_by_an_operator(delivered, django_capture_on_commit_callbacks):
    owner, _, snapshot, _ = delivered
    third = licensed("Three").licensee
    deliver_snapshot(snapshot=snapshot, licensee=third, actor=ACTOR)
    withdrawal = take_back(owner)
    notice = WithdrawalNotice.objects.get(licensee=third)
    with pytest.raises(NotYetReplaced):
        record_notice(notice=notice, actor=ACTOR, reason="I called them.")
    replace_snapshots()
    withdrawal.refresh_from_db()
    assert withdrawal.licensees_done_at is None
    assert record_notice(notice=notice, actor=ACTOR, reason="I called them.").channel == "hand"
    withdrawal.refresh_from_db()
    assert withdrawal.licensees_done_at is not None


def test_a_mail_that_fails_is_sent_later(withdrawn, monkeypatch):
    withdrawal, *_ = withdrawn
    with monkeypatch.context() as patched:
        patched.setattr("governance.dataset.notices.send_mail", lambda *_: (_ for _ in ()).throw(OSError))
        replace_snapshots()
    assert WithdrawalNotice.objects.filter(sent_at=None).count() == 2
    replace_snapshots()
    withdrawal.refresh_from_db()
    assert withdrawal.licensees_done_at is not None


def test_where_people_write_by_post_alone_notices_wait_for_an_operator(withdrawn, settings):
    settings.ARENA_WITHDRAWAL_ADDRESS = "Hauptstraße 1, 8000 Zürich"
    replace_snapshots()
    waiting = WithdrawalNotice.objects.filter(sent_at=None)
    assert waiting.count() == 2
    for notice in waiting:
        assert record_notice(notice=notice, actor=ACTOR, reason="By letter.").channel == "hand"
    assert mail.outbox == []


def test_a_withdrawal_that_touches_no_snapshot_owes_nobody(delivered):
    stranger = make_judge()
    make_task(stranger)
    withdrawal = take_back(stranger)
    assert withdrawal.licensees_done_at is not None
    assert list(snapshots_touched(judge=stranger)) == owed() == []


def test_a_second_withdrawal_touches_the_replacement(withdrawn):
    _, snapshot, _ = withdrawn
    [first] = replace_snapshots()
    other = first.shares.get(kind="task").judge
    take_back(other)
    [second] = replace_snapshots()
    assert (second.replaces, first.replaces) == (first, snapshot)
    assert rows(second, "tasks") == []
    assert newest_snapshot() == second


def test_without_a_legal_name_nothing_is_handed_out(delivered, settings):
    _, _, snapshot, _ = delivered
    settings.ARENA_LEGAL_NAME = ""
    with pytest.raises(ExportRefused):
        deliver_snapshot(snapshot=snapshot, licensee=licensed("Three").licensee, actor=ACTOR)


def fetched(client, snapshot, token):
    """How the manifest of a snapshot answers to a token."""
    address = reverse("snapshot_file", args=[snapshot.pk, "manifest.json"])
    return client.get(address, HTTP_AUTHORIZATION=f"Bearer {token}").status_code


def test_an_ended_licence_gets_nothing_new_and_keeps_what_it_has(delivered, client, django_capture_on_commit_callbacks):
    _, _, snapshot, (one, _) = delivered
    end_licence(licensee=one.licensee, actor=ACTOR, reason="It asked for that.")
    assert fetched(client, snapshot, one.token) == 200
    with django_capture_on_commit_callbacks(execute=True):
        newer = build_snapshot(actor=ACTOR)
    with pytest.raises(Conflict, match="ended"):
        deliver_snapshot(snapshot=newer, licensee=one.licensee, actor=ACTOR)
    assert fetched(client, newer, one.token) == 404


def test_an_ended_licence_can_fetch_the_replacement_of_what_it_had(
    withdrawn, client, django_capture_on_commit_callbacks
):
    withdrawal, snapshot, (one, _) = withdrawn
    end_licence(licensee=one.licensee, actor=ACTOR, reason="It asked for that.")
    with django_capture_on_commit_callbacks(execute=True):
        [replacement] = replace_snapshots()
    withdrawal.refresh_from_db()
    assert withdrawal.licensees_done_at is not None
    assert (fetched(client, snapshot, one.token), fetched(client, replacement, one.token)) == (410, 200)


def test_a_delivery_is_touched_until_the_end_of_its_chain_is_delivered(withdrawn, monkeypatch):
    _, snapshot, _ = withdrawn
    with monkeypatch.context() as patched:
        patched.setattr("governance.dataset.replacing.tell", lambda *_: None)
        [first] = replace_snapshots()
    take_back(first.shares.get(kind="task").judge)
    assert owed() == [first]
    assert {delivery.snapshot for delivery in touched_deliveries()} == {snapshot}
    [second] = replace_snapshots()
    assert second.replaces == first
    assert touched_deliveries() == []
    assert not WithdrawalNotice.objects.filter(sent_at=None).exists()


def test_what_an_operator_told_by_themselves_is_not_mailed(withdrawn, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("governance.dataset.notices.send_mail", lambda *_: (_ for _ in ()).throw(OSError))
        replace_snapshots()
    notice = WithdrawalNotice.objects.filter(sent_at=None).first()
    assert record_notice(notice=notice, actor=ACTOR, reason="By telephone.").channel == "hand"
    assert mail.outbox == []


@pytest.mark.parametrize(("name", "terms"), [("", "x"), ("a" * 201, "x"), ("a\nb\0", "x"), ("a", "  ")])
def test_a_licensee_has_a_name_and_terms(name, terms):
    with pytest.raises(LicenseeRefused):
        register_licensee(name=name, terms=terms, actor=ACTOR)


@pytest.mark.parametrize("table", ["snapshot", "delivery", "snapshotshare"])
def test_snapshots_and_deliveries_are_never_changed(delivered, table):
    for statement in (f"DELETE FROM governance_{table}", f"UPDATE governance_{table} SET id = id"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
