"""Snapshots in object storage are made, served, checked and recalled as in a folder; a store that is away loses none.

The server is a real one, over HTTP; see ``object_storage`` for what it cannot show.
"""

import io
import json
import time
from contextlib import redirect_stderr

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.urls import reverse

from arena_site.environment import ArenaConfigurationError, read_environment
from arena_site.monitoring.readiness import Part, snapshots
from battles.models import Frame
from governance.dataset import building
from governance.dataset.building import build_snapshot
from governance.dataset.draft import DRAFTS, SnapshotInProgress
from governance.dataset.home import snapshots_home
from governance.dataset.recalls import sweep_files
from governance.dataset.stores import HELD, LOCK, Objects, SnapshotObjects, SnapshotsAway
from governance.dataset_models import Snapshot
from governance.licensing import deliver_snapshot, register_licensee
from governance.tasks import replace_touched
from tests.battles.object_storage import BUCKET, FAULTS, KEYS, object_server
from tests.governance.dataset.boards import ACTOR, closed_battle, take_back, vote

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture(scope="module")
def server():
    with object_server() as running:
        yield running


@pytest.fixture(autouse=True)
def snapshots_in_objects(named_operator, server, settings, monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)

    def use(**other):
        kept = server.storage(**other) | {"BACKEND": "governance.dataset.stores.SnapshotObjects"}
        settings.STORAGES = settings.STORAGES | {"snapshots": kept}

    use()
    yield use
    server.allow()
    server.empty()


@pytest.fixture
def on_commit(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def owner():
    battle = closed_battle()
    vote(battle)
    closed_battle()
    return battle.task.judge


@pytest.fixture
def snapshot(owner, on_commit):
    with on_commit():
        return build_snapshot(actor=ACTOR)


@pytest.fixture
def headers(snapshot):
    registered = register_licensee(name="Lab", terms="For research.", actor=ACTOR)
    deliver_snapshot(snapshot=snapshot, licensee=registered.licensee, actor=ACTOR)
    return {"HTTP_AUTHORIZATION": f"Bearer {registered.token}"}


def paths(snapshot):
    return [*(file["path"] for file in json.loads(snapshot.manifest)["files"]), "manifest.json"]


def names(server):
    """What there is besides what replacements are held to."""
    found = {key.removeprefix("of/this-arena/") for key in server.keys()}  # noqa: SIM118 - it is no mapping
    return {name for name in found if not name.startswith(f"{HELD}/")}


def written(folder):
    """Parts of tables as they were written; a copy beside one is made anew by every try."""
    copies = {path.with_suffix(".parquet") for path in folder.rglob("part-*.jsonl")}
    return {path: path.stat().st_ino for path in folder.rglob("part-*") if path not in copies}


def address(snapshot, path="manifest.json"):
    return reverse("snapshot_file", args=[snapshot.pk, path])


def verify(*arguments):
    out, ending = io.StringIO(), 0
    try:
        with redirect_stderr(out):
            call_command("snapshot", "verify", *arguments, stdout=out, stderr=out)
    except SystemExit as ended:
        ending = int(ended.code or 0)
    return ending, out.getvalue()


def looked_at():
    """The state of snapshots as readiness says it."""
    part = Part(snapshots, needed=False)
    part.begin()
    return part.end(time.monotonic() + 30)


def test_the_files_are_put_up_and_a_licensee_gets_each_and_nobody_else_learns_of_one(client, snapshot, headers, server):
    assert names(server) == {f"{snapshot.pk}/{path}" for path in paths(snapshot)}
    assert [path.name for path in snapshots_home().rglob("*")] == [DRAFTS, "lock"], "nothing stays on the host"
    for path in paths(snapshot):
        got = client.get(address(snapshot, path), **headers)
        body = b"".join(got.streaming_content)
        stored = server.client.get_object(Bucket=BUCKET, Key=f"of/this-arena/{snapshot.pk}/{path}")["Body"].read()
        assert body == stored
        assert got["Content-Length"] == str(len(body))
        assert got["Content-Disposition"] == f'attachment; filename="{path.rpartition("/")[2]}"'
        assert got["Cache-Control"] == "private, no-store"
    assert json.loads(client.get(address(snapshot)).content)["code"] == "no_snapshot"
    assert client.get(address(snapshot, "votes/part-00099.parquet"), **headers).status_code == 404


def test_what_is_kept_is_checked_and_a_changed_and_a_lost_object_are_found(snapshot, server):
    assert verify(str(snapshot.pk))[0] == 0
    path = next(each for each in paths(snapshot) if each.startswith("votes/"))
    key = f"of/this-arena/{snapshot.pk}/{path}"
    server.client.put_object(Bucket=BUCKET, Key=key, Body=b"cut short")
    ending, said = verify(str(snapshot.pk))
    assert ending == 1
    assert f"{path} is not the file whose digest is in the manifest." in said
    server.client.delete_object(Bucket=BUCKET, Key=key)
    assert f"{path} is missing." in verify(str(snapshot.pk))[1]


def test_a_recall_deletes_the_objects_and_the_replacement_takes_their_place(
    client, owner, snapshot, headers, server, on_commit, monkeypatch
):
    monkeypatch.setattr(SnapshotObjects, "page", 3)
    with on_commit():
        take_back(owner)
    assert names(server) == set(), "and not only those of the first page of the list"
    assert client.get(address(snapshot), **headers).json()["code"] == "snapshot_gone"
    Frame.objects.update(text_redaction="clean", picture_redaction="clean")
    with on_commit():
        replace_touched()
    replacement = Snapshot.objects.get(replaces=snapshot)
    assert {name.partition("/")[0] for name in names(server)} == {str(replacement.pk)}
    assert client.get(address(replacement), **headers).status_code == 200
    rows = {table["name"]: table["rows"] for table in json.loads(replacement.manifest)["tables"]}
    assert rows["frames"] > rows["images"] == 0, "it is held to the images of the one it replaces, which had none"


def test_what_a_store_that_is_away_kept_in_spite_of_a_recall_goes_with_the_next_sweep(
    owner, snapshot, server, on_commit, caplog
):
    server.client.put_object(Bucket=BUCKET, Key="of/this-arena/notes.txt", Body=b"the operator's own")
    server.client.put_object(Bucket=BUCKET, Key="of/another-arena/x", Body=b"")
    server.deny()
    with on_commit():
        take_back(owner)
    assert f"{snapshot.pk} could not be deleted at once" in caplog.text
    sweep_files()
    assert "the files of snapshots cannot be listed" in caplog.text
    server.allow()
    assert len(names(server)) > 2
    sweep_files()
    assert names(server) == {"notes.txt", "of/another-arena/x"}


def test_what_is_written_and_cannot_be_put_up_is_gone_on_with(owner, server, on_commit, monkeypatch):
    server.deny()
    with pytest.raises(SnapshotsAway, match="denies access") as refusal:
        build_snapshot(actor=ACTOR)
    assert "127.0.0.1" not in str(refusal.value)
    assert Snapshot.objects.count() == 0
    [state] = (snapshots_home() / DRAFTS).glob("*.json")
    parts = written(state.with_suffix(""))
    server.allow()
    put_up = []
    real = Objects.put_up

    def seen(self, draft, paths):
        put_up.append(written(draft.folder))
        return real(self, draft, paths)

    monkeypatch.setattr(Objects, "put_up", seen)
    with on_commit():
        made = build_snapshot(actor=ACTOR)
    assert put_up == [parts], "parts that were written are kept"
    assert str(made.pk) == state.stem
    assert verify(str(made.pk))[0] == 0


def test_a_file_answers_503_while_the_store_is_away_and_says_why_to_operators_alone(
    client, snapshot, headers, server, snapshots_in_objects, caplog
):
    for fault, words in FAULTS.items():
        fault(snapshots_in_objects, server)
        answer = client.get(address(snapshot), **headers)
        assert (answer.status_code, answer.json()["code"]) == (503, "snapshots_away")
        assert words not in answer.content.decode()
        assert words in caplog.text
        assert client.get(address(snapshot)).status_code == 404
        assert looked_at() == "down"
        server.allow()
        snapshots_in_objects()
    assert client.get(address(snapshot), **headers).status_code == 200
    assert looked_at() == "ok"


def test_files_of_a_build_that_was_killed_before_anybody_knew_of_them_are_swept(owner, server, monkeypatch):
    class Killed(BaseException):
        pass

    def killed(*_, **__):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(building, "_enter", killed)
        with pytest.raises(Killed):
            build_snapshot(actor=ACTOR)
    left = names(server)
    assert left
    with psycopg.connect(**elsewhere()) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        sweep_files()
        assert names(server) == left, "another host is making one"
        with pytest.raises(SnapshotInProgress):
            build_snapshot(actor=ACTOR)
    sweep_files()
    assert names(server) == set()


def elsewhere():
    wanted = ("dbname", "host", "port", "user", "password")
    return {key: value for key, value in connection.get_connection_params().items() if key in wanted}


@pytest.mark.parametrize(
    ("frames", "snapshots", "refused"),
    [
        ("s3://one/frames", "s3://one/snapshots", False),
        ("s3://one/a", "s3://one/ab", False),
        ("s3://one", "s3://two", False),
        ("s3://one", "s3://one/snapshots", True),
        ("s3://one/a/b", "s3://one/a", True),
        ("s3://one/a", "s3://one/a", True),
    ],
)
def test_neither_place_lies_in_the_other(frames, snapshots, refused):
    environ = {"ARENA_FRAMES_URL": frames, "ARENA_SNAPSHOTS_URL": snapshots}
    if refused:
        with pytest.raises(ArenaConfigurationError, match="lie in each other"):
            read_environment(environ)
    else:
        assert read_environment(environ)["ARENA_SNAPSHOTS_URL"]["bucket_name"]
