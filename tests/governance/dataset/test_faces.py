"""The page, the manifest in its two forms, the files, and the command."""

import io
import json
from contextlib import redirect_stderr

import pytest
from django.core.management import call_command
from django.urls import reverse

from governance.dataset.building import build_snapshot
from governance.dataset.home import snapshots_home
from governance.licensing import deliver_snapshot, register_licensee
from tests.battles.factories import make_agent
from tests.governance.dataset.boards import ACTOR, closed_battle, vote

pytestmark = pytest.mark.django_db

#: Keys under which a manifest counts.
COUNTS = ("rows", "files", "removed", "private", "bytes")


@pytest.fixture
def snapshot():
    battle = closed_battle()
    vote(battle)
    return build_snapshot(actor=ACTOR)


@pytest.fixture
def licensee(snapshot):
    registered = register_licensee(name="Lab", terms="For research.", provider="maker", actor=ACTOR)
    deliver_snapshot(snapshot=snapshot, licensee=registered.licensee, actor=ACTOR)
    return {"HTTP_AUTHORIZATION": f"Bearer {registered.token}"}


def keys(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def test_the_public_manifest_counts_nothing_of_the_corpus(client, snapshot):
    answer = client.get(reverse("dataset_manifest"))
    public = answer.json()
    assert public["digest"] == snapshot.digest
    assert not keys({**public, "redaction": None, "overlap_screening": None}) & set(COUNTS)
    [claim] = public["not_entitled"]["not_entitled"]
    assert claim["claim"] == "That judges agree"
    assert "0.5" not in claim["why"]
    assert client.get(reverse("dataset_manifest"), HTTP_IF_NONE_MATCH=answer["ETag"]).status_code == 304


def test_a_licensee_gets_the_manifest_in_full_and_the_files(client, snapshot, licensee):
    answer = client.get(reverse("dataset_manifest"), **licensee)
    assert answer.content.decode() == snapshot.manifest
    assert answer["Cache-Control"] == "private, no-store"
    path = next(file["path"] for file in answer.json()["files"] if file["table"] == "votes")
    got = client.get(reverse("snapshot_file", args=[snapshot.pk, path]), **licensee)
    assert b"".join(got.streaming_content) == (snapshots_home() / snapshot.path / path).read_bytes()


@pytest.mark.parametrize("path", ["votes/nothing.parquet", "../.drafts/lock", "votes/../../x"])
def test_no_other_file_is_served(client, snapshot, licensee, path):
    address = reverse("snapshot_file", args=[snapshot.pk, "manifest.json"]).replace("manifest.json", path)
    assert client.get(address, **licensee).status_code == 404


def test_to_strangers_the_files_are_not_there(client, snapshot, licensee):
    other = register_licensee(name="Other", terms="None yet.", actor=ACTOR)
    address = reverse("snapshot_file", args=[snapshot.pk, "manifest.json"])
    for headers in ({}, {"HTTP_AUTHORIZATION": "Bearer x"}, {"HTTP_AUTHORIZATION": f"Bearer {other.token}"}):
        assert client.get(address, **headers).status_code == 404
        public = client.get(reverse("dataset_manifest"), **headers).json()
        assert not keys(public) & {"files", "removed"}


def test_the_page_says_what_is_in_it_and_who_gains(client, licensee):
    make_agent("theirs", provider="Maker")
    # By the spelling that flags it beside that provider's agents.
    register_licensee(name="Annex", terms="For research.", provider="Ma KER", actor=ACTOR)
    page = client.get(reverse("dataset")).content.decode()
    assert "What it does not entitle anybody to claim" in page
    assert "Lab: tied to Maker" in page
    assert "Annex: tied to Maker" in page
    assert "<code>instruction</code>" in page


def test_before_the_first_snapshot_the_page_says_so(client, settings):
    assert "No snapshot has been made yet" in client.get(reverse("dataset")).content.decode()
    settings.ARENA_LEGAL_NAME = ""
    assert "Nothing leaves this machine" in client.get(reverse("dataset")).content.decode()
    assert client.get(reverse("dataset_manifest")).status_code == 404


def run(*arguments):
    """What the command prints, and how it ends."""
    out, err, ending = io.StringIO(), io.StringIO(), 0
    try:
        with redirect_stderr(err):
            call_command("snapshot", *arguments, stdout=out, stderr=err)
    except SystemExit as ended:
        ending = int(ended.code or 0)
    return ending, out.getvalue(), err.getvalue()


def test_the_command_makes_lists_hands_over_and_checks(tmp_path):
    closed_battle()
    ending, out, progress = run("build", "--processes", "1", "--json")
    made = json.loads(out)
    assert ending == 0
    assert "steps: 4 rows" in progress
    (tmp_path / "terms.txt").write_text("For research.")
    assert run("register", "Lab", "--terms", str(tmp_path / "terms.txt"))[0] == 0
    assert run("deliver", "lab")[0] == 0
    listed = json.loads(run("list", "--json")[1])
    assert listed["licensees"][0]["deliveries"] == [made["id"]]
    folder = snapshots_home() / made["path"]
    assert run("verify", str(folder), "--digest", made["digest"])[0] == 0
    assert run("verify", str(folder), "--digest", "0" * 64)[0] == 1


def test_the_command_says_what_was_refused(settings, tmp_path):
    assert run("deliver", "nobody", "0" * 32)[0] == 2
    assert run("verify", str(tmp_path))[0] == 2
    settings.ARENA_LEGAL_NAME = ""
    ending, _, told = run("build")
    assert ending == 2
    assert "no_legal_name" in told
