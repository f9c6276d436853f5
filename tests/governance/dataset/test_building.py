"""What leaves in a snapshot, and what does not."""

import json

import pytest

from battles.models import Battle, Frame
from governance.dataset.building import build_snapshot
from governance.dataset.home import ExportRefused, snapshots_home
from governance.dataset.verifying import verify_folder
from governance.ledger.verification import verify_ledger
from governance.models import LedgerEntry
from tests.battles.factories import make_battle, make_judge, make_task, race
from tests.governance.dataset.boards import ACTOR, closed_battle, left_out, rows, vote

pytestmark = pytest.mark.django_db


def test_a_battle_leaves_with_its_task_its_lanes_and_its_labels():
    battle = closed_battle()
    cast = vote(battle, note="Both were slow.")
    snapshot = build_snapshot(actor=ACTOR)
    assert [row["battle"] for row in rows(snapshot, "battles")] == [str(battle.pk)]
    assert [row["instruction"] for row in rows(snapshot, "tasks")] == [battle.task.instruction]
    assert {row["slot"] for row in rows(snapshot, "lanes")} == {"A", "B"}
    assert len(rows(snapshot, "steps")) == 4
    assert [(row["vote"], row["note"]) for row in rows(snapshot, "votes")] == [(str(cast.pk), "Both were slow.")]
    assert verify_folder(snapshots_home() / snapshot.path, digest=snapshot.digest).problems == []


def test_nothing_leaves_while_no_legal_name_is_set(settings):
    settings.ARENA_LEGAL_NAME = ""
    with pytest.raises(ExportRefused) as refusal:
        build_snapshot(actor=ACTOR)
    assert refusal.value.code == "no_legal_name"


@pytest.mark.parametrize("name", ["", "Somebody Else Ltd"])
def test_what_was_given_to_nobody_or_to_somebody_else_stays(settings, name):
    settings.ARENA_LEGAL_NAME = name
    given = make_judge()
    settings.ARENA_LEGAL_NAME = "Example Arena Ltd"
    closed_battle(given)
    snapshot = build_snapshot(actor=ACTOR)
    assert rows(snapshot, "battles") == rows(snapshot, "tasks") == []
    assert ("battle", "no_consent", 1) in left_out(snapshot)


def test_a_vote_without_covering_consent_stays_while_its_battle_leaves(settings):
    battle = closed_battle()
    settings.ARENA_LEGAL_NAME = ""
    vote(battle, make_judge())
    settings.ARENA_LEGAL_NAME = "Example Arena Ltd"
    kept = vote(battle)
    snapshot = build_snapshot(actor=ACTOR)
    assert [row["vote"] for row in rows(snapshot, "votes")] == [str(kept.pk)]


def test_a_battle_that_is_judged_blind_waits():
    waiting = race(make_battle())
    snapshot = build_snapshot(actor=ACTOR)
    assert rows(snapshot, "battles") == []
    assert ("battle", "judged_blind", 1) in left_out(snapshot)
    assert str(waiting.agent_a_id) not in (snapshots_home() / snapshot.path / "README.md").read_text()


@pytest.mark.parametrize("kind", [Battle.Kind.GOLD, Battle.Kind.CALIBRATION])
def test_a_battle_that_checks_judges_stays_secret(kind):
    battle = closed_battle()
    Battle.objects.filter(pk=battle.pk).update(kind=kind)
    assert rows(build_snapshot(actor=ACTOR), "battles") == []


def test_personal_details_are_gone_from_every_word():
    secret = "maria.lindqvist@example.org"
    judge = make_judge()
    task = make_task(judge, instruction=f"Write to {secret}.", start_url=f"https://example.org/?m={secret}")
    battle = closed_battle(
        judge,
        task=task,
        title=f"Mail {secret}",
        reasoning=f"I type {secret}",
        url_after=f"https://example.org/{secret}",
    )
    vote(battle, note=f"I know {secret}")
    snapshot = build_snapshot(actor=ACTOR)
    for table in ("tasks", "lanes", "steps", "votes"):
        assert secret not in json.dumps(rows(snapshot, table), default=str)
    assert "[e-mail]" in json.dumps(rows(snapshot, "steps"), default=str)


def test_a_secret_of_the_start_address_is_gone_from_every_word():
    judge = make_judge()
    task = make_task(
        judge,
        instruction="Sign in with sunshine77xy and read what is new.",
        start_url="https://example.org/?page=2&password=sunshine77xy#token=sunshine77xy",
    )
    closed_battle(
        judge, task=task, title="Page 2", reasoning="I use sunshine77xy", url_after="https://a.example/sunshine77xy"
    )
    snapshot = build_snapshot(actor=ACTOR)
    for table in ("tasks", "lanes", "steps"):
        assert "sunshine" not in json.dumps(rows(snapshot, table), default=str)
    [row] = rows(snapshot, "tasks")
    assert row["instruction"] == "Sign in with [secret] and read what is new."
    assert {row["title"] for row in rows(snapshot, "steps")} >= {"Page 2"}


def test_a_battle_that_was_never_offered_leaves_without_its_words():
    judge = make_judge()
    battle = closed_battle(judge, offered=False, title="Secret title", reasoning="Secret reasoning")
    vote(battle, judge, by_submitter=True, note="Secret note")
    snapshot = build_snapshot(actor=ACTOR)
    [row] = rows(snapshot, "battles")
    assert row["offered"] is False
    everything = json.dumps([rows(snapshot, table) for table in ("tasks", "lanes", "steps", "votes")], default=str)
    assert "Secret" not in everything
    assert battle.task.instruction not in everything
    assert [each["verb"] for each in rows(snapshot, "steps")] == ["", "click", "", "click"]


def test_an_image_leaves_only_if_both_detectors_found_nothing():
    battle = closed_battle()
    first, *_ = Frame.objects.filter(lane__attempt__battle=battle).order_by("pk")
    Frame.objects.filter(pk=first.pk).update(text_redaction="clean", picture_redaction="clean")
    snapshot = build_snapshot(actor=ACTOR)
    [image] = rows(snapshot, "images")
    assert image["image"] == str(first.pk)
    assert image["bytes"]
    assert {row["frame"] for row in rows(snapshot, "frames") if row["image"]} == {str(first.pk)}
    assert ("image", "not_examined", 3) in left_out(snapshot)


def test_judges_have_other_keys_in_every_snapshot_and_none_of_their_own():
    battle = closed_battle()
    cast = vote(battle)
    first, second = build_snapshot(actor=ACTOR), build_snapshot(actor=ACTOR)
    keys = [rows(each, "votes")[0]["judge"] for each in (first, second)]
    assert len({*keys, cast.judge_id}) == 3
    assert rows(first, "judges")[0]["judge"] == keys[0]
    for each in (first, second):
        folder = snapshots_home() / each.path
        assert all(cast.judge_id.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_the_ledger_names_a_snapshot_by_its_digest():
    closed_battle()
    snapshot = build_snapshot(actor=ACTOR)
    entry = LedgerEntry.objects.get(kind="governance:snapshot:build")
    assert json.loads(entry.text)["subject"] == snapshot.digest
    assert verify_ledger().problems == []
