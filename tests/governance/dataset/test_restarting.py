"""A build that was interrupted is gone on with, and ends with the same digests; what changed meanwhile is made anew."""

import json
import os
import stat
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone

from governance.dataset import building, parts
from governance.dataset.building import build_snapshot
from governance.dataset.draft import DRAFTS, STALE_AFTER, SnapshotInProgress, one_at_a_time
from governance.dataset.home import snapshots_home
from governance.dataset.recalls import sweep_files
from governance.dataset.verifying import verify_folder
from governance.dataset_models import Snapshot
from governance.identifiers import time_ordered_id
from judging.accounts import bind_device
from tests.battles.factories import make_judge
from tests.governance.dataset.boards import ACTOR, closed_battle, manifest, rows, take_back, vote
from tests.judging.handing import make_signed_in

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """The process ends here, as by kill -9: nothing is tidied up."""


@pytest.fixture
def corpus(monkeypatch):
    """Three battles with votes, in parts of two rows."""
    monkeypatch.setattr(parts, "PART_ROWS", 2)
    monkeypatch.setattr(parts, "BATCH", 1)
    battles = [closed_battle(reasoning="I look around.") for _ in range(3)]
    for battle in battles:
        vote(battle)
    return battles


def killed_at(table, number):
    """Build until a part of a table is on disk, then stop dead."""

    def say(words):
        if f"{table}/part-{number:05}" in words:
            raise Killed

    with pytest.raises(Killed):
        build_snapshot(actor=ACTOR, say=say)
    [state] = (snapshots_home() / DRAFTS).glob("*.json")
    return state


@pytest.mark.parametrize(("table", "number"), [("agents", 0), ("steps", 2), ("votes", 1)])
def test_a_restart_keeps_what_was_finished_and_ends_with_the_same_digest(corpus, table, number, monkeypatch):
    state = killed_at(table, number)
    begun = json.loads(state.read_text())
    draft = state.with_suffix("")
    before = {path: path.stat().st_ino for path in draft.rglob("part-*")}
    assert before
    # A build that was never stopped, on the same terms: the draft as it was when it was begun.
    unstopped = building.Draft(snapshots_home(), begun | {"id": begun["id"], "parts": {}})
    restarted = build_snapshot(actor=ACTOR)
    folder = snapshots_home() / restarted.path
    assert {folder / path.relative_to(draft): inode for path, inode in before.items()}.items() <= {
        path: path.stat().st_ino for path in folder.rglob("part-*")
    }.items()
    folder.rename(folder.with_suffix(".first"))
    unstopped.folder.mkdir()
    building._write(unstopped, 1, lambda words: None, None)
    assert (unstopped.folder / "manifest.json").read_text() == restarted.manifest


def test_a_part_that_is_damaged_or_whose_rows_changed_is_made_anew(corpus):
    state = killed_at("votes", 1)
    damaged = state.with_suffix("") / "steps" / "part-00001.parquet"
    damaged.write_bytes(b"cut short")
    take_back(corpus[1].task.judge)
    snapshot = build_snapshot(actor=ACTOR)
    assert len(rows(snapshot, "battles")) == 2
    assert len(rows(snapshot, "steps")) == 8
    assert verify_folder(snapshots_home() / snapshot.path).problems == []


def test_a_withdrawal_while_files_are_written_is_not_missed(corpus):
    owner = corpus[0].task.judge
    done = []

    def say(words):
        if "exclusions" in words and not done:
            done.append(take_back(owner))

    snapshot = build_snapshot(actor=ACTOR, say=say)
    assert str(corpus[0].task_id) not in json.dumps(rows(snapshot, "tasks"), default=str)
    assert len(rows(snapshot, "battles")) == 2


@pytest.mark.parametrize("scope", ["identity", "everything"])
def test_words_of_somebody_who_is_forgotten_while_files_are_written_do_not_leave(corpus, scope):
    giver = make_judge()
    vote(corpus[0], giver, note="I am the one with the red bicycle.")
    done = []

    def say(words):
        if "exclusions" in words and not done:
            done.append(take_back(giver, scope=scope))

    snapshot = build_snapshot(actor=ACTOR, say=say)
    told = rows(snapshot, "votes")
    assert "bicycle" not in json.dumps(told, default=str)
    assert len(told) == (4 if scope == "identity" else 3)


def test_somebody_elses_withdrawal_has_nothing_written_again(corpus):
    said = []

    def say(words):
        if "exclusions" in words:
            take_back(make_judge())
        said.append(words)

    build_snapshot(actor=ACTOR, say=say)
    assert not any("withdrawn meanwhile" in words for words in said)


def test_a_device_that_is_bound_while_files_are_written_counts_for_its_account(corpus):
    device, account = make_judge(), make_signed_in()
    vote(corpus[0], device)

    def say(words):
        if "exclusions" in words:
            bind_device(device=device, account=account.account.account, actor="system:test")

    snapshot = build_snapshot(actor=ACTOR, say=say)
    assert snapshot.shares.filter(judge=account, kind="vote").exists()
    assert take_back(account).recalls.filter(snapshot=snapshot).exists()


def test_what_a_killed_build_left_goes_when_somebody_withdraws(corpus, django_capture_on_commit_callbacks):
    state = killed_at("tasks", 0)
    with django_capture_on_commit_callbacks(execute=True):
        take_back(corpus[0].task.judge)
    assert not state.exists()
    assert not state.with_suffix("").exists()


def test_what_was_not_deleted_then_goes_with_the_next_sweep(corpus):
    snapshot = build_snapshot(actor=ACTOR)
    killed_at("tasks", 0)
    take_back(corpus[0].task.judge)
    folder = snapshots_home() / snapshot.path
    assert folder.exists()
    sweep_files()
    assert not folder.exists()
    assert list((snapshots_home() / DRAFTS).glob("*.json")) == []


def test_a_draft_that_is_being_made_or_was_begun_after_a_withdrawal_stays(corpus):
    with time_machine.travel(timezone.now() - timedelta(hours=1)):
        take_back(make_judge(), scope="identity")
    state = killed_at("tasks", 0)
    sweep_files()
    assert state.exists()
    take_back(make_judge(), scope="identity")
    with one_at_a_time(snapshots_home()):
        sweep_files()
    assert state.exists()


def test_a_replacement_of_an_old_snapshot_is_gone_on_with_too(corpus):
    with time_machine.travel(timezone.now() - STALE_AFTER - timedelta(days=1)):
        old = build_snapshot(actor=ACTOR)
    take_back(corpus[0].task.judge)

    def say(words):
        if words.startswith("steps"):
            raise Killed

    with pytest.raises(Killed):
        build_snapshot(actor=ACTOR, replaces=old, say=say)
    [state] = (snapshots_home() / DRAFTS).glob("*.json")
    assert str(build_snapshot(actor=ACTOR, replaces=old).pk) == state.stem


def test_a_state_that_cannot_be_read_goes_with_its_files(corpus):
    state = killed_at("tasks", 0)
    state.write_text("{}")
    build_snapshot(actor=ACTOR)
    assert not state.with_suffix("").exists()


def test_what_a_killed_build_was_in_the_middle_of_writing_goes_too(corpus, django_capture_on_commit_callbacks):
    state = killed_at("steps", 0)
    drafts = snapshots_home() / DRAFTS
    folder = state.with_suffix("")
    torn = [drafts / ".draft-state", folder / ".draft-manifest", folder / "votes" / ".draft-part"]
    for path in torn:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.loads(state.read_text())["secret"])
    begun_without_a_state = drafts / str(time_ordered_id())
    begun_without_a_state.mkdir()
    with django_capture_on_commit_callbacks(execute=True):
        snapshot = build_snapshot(actor=ACTOR)
    assert list(drafts.iterdir()) == [drafts / "lock"]
    assert verify_folder(snapshots_home() / snapshot.path, digest=snapshot.digest).problems == []


def test_a_kill_between_the_move_and_the_commit_loses_nothing(corpus, monkeypatch):
    replace = os.replace

    def moved_then_killed(source, target):
        replace(source, target)
        if Path(target).parent == snapshots_home():
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", moved_then_killed)
        with pytest.raises(Killed):
            build_snapshot(actor=ACTOR)
    assert Snapshot.objects.count() == 0
    snapshot = build_snapshot(actor=ACTOR)
    assert Snapshot.objects.get() == snapshot
    assert verify_folder(snapshots_home() / snapshot.path, digest=snapshot.digest).problems == []


def test_the_secret_of_the_keys_is_kept_from_others_and_goes_at_the_end(corpus, django_capture_on_commit_callbacks):
    state = killed_at("steps", 0)
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    secret = json.loads(state.read_text())["secret"]
    with django_capture_on_commit_callbacks(execute=True):
        snapshot = build_snapshot(actor=ACTOR)
    assert not state.exists()
    assert all(secret.encode() not in path.read_bytes() for path in snapshots_home().rglob("*") if path.is_file())
    assert secret not in json.dumps(manifest(snapshot))


def test_one_is_made_at_a_time(corpus):
    with one_at_a_time(snapshots_home()), pytest.raises(SnapshotInProgress):
        build_snapshot(actor=ACTOR)


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "votes" / "part-00000.parquet").unlink(),
        lambda folder: (folder / "extra.txt").write_text("?"),
        lambda folder: (folder / "README.md").write_text("Nothing."),
        lambda folder: (folder / "agents" / "part-00000.jsonl").write_text("{}\n"),
        lambda folder: (folder / "manifest.json").write_text(
            (folder / "manifest.json").read_text().replace('"rows":3', '"rows":4')
        ),
    ],
)
def test_a_folder_that_was_changed_is_not_whole(corpus, harm):
    folder = snapshots_home() / build_snapshot(actor=ACTOR).path
    harm(folder)
    assert verify_folder(folder).problems
