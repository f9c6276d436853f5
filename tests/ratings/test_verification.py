"""A publication can be made again: from the database, and from a file on a machine that has none of its rows."""

import hashlib
import json
import os
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from battles.models import Agent, Battle, Lane
from battles.racing import void_battle
from battles.roster import retire_agent
from governance.withdrawals import withdraw_everything
from judging.accounts import bind_device
from judging.models import Vote
from judging.trust import hold_label, suspend_judge
from ratings.canonical import canonical, digest
from ratings.corpus import CorpusGone, corpus_as_of, read_corpus
from ratings.documents import Provenance
from ratings.eligibility import Reason
from ratings.models import Board, Publication
from ratings.publications import document_of_corpus
from ratings.refit import refit
from ratings.verification import CannotVerify, compare, parse_document, verify_document
from tests.battles.factories import make_agent, make_judge, make_task
from tests.ratings.corpora import lively_corpus
from tests.ratings.published import judged, make_pair, published

db = pytest.mark.django_db


def run(*arguments):
    out, err = StringIO(), StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return end.code, out.getvalue() + err.getvalue()
    return 0, out.getvalue() + err.getvalue()


def verify(*arguments):
    return run("verify_publication", *map(str, arguments))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Files on a machine without a database: the corpus and both documents."""
    folder = tmp_path_factory.mktemp("elsewhere")
    corpus = lively_corpus()
    document = document_of_corpus(Board.DEMO, corpus, Provenance(previous="f" * 64))
    (folder / "corpus.bin").write_bytes(corpus.encoded())
    (folder / "full.json").write_text(document.text, encoding="utf-8")
    (folder / "public.json").write_text(document.public_text, encoding="utf-8")
    return folder


def from_files(folder, form="full", corpus="corpus.bin"):
    return verify("--document", folder / f"{form}.json", "--corpus", folder / corpus)


@pytest.mark.parametrize("form", ["full", "public"])
def test_files_are_enough_and_no_database_is_asked(elsewhere, form):
    # Without the marker, pytest-django refuses every query.
    status, words = from_files(elsewhere, form)
    assert status == 0
    assert f"{form} document" in words
    assert "0 values differ" in words
    assert "to the byte: the same" in words


def test_every_number_that_was_changed_is_named_with_its_path(elsewhere, tmp_path):
    document = json.loads((elsewhere / "full.json").read_text())
    document["ratings"][1]["rating"] += 0.01
    document["variants"]["davidson"]["ratings"][0]["upper"] -= 1
    document["audit"]["labels"]["rated"] += 1
    document["gaps"]["agent-0"]["agent-1"]["reason"] = "not_connected"
    (tmp_path / "full.json").write_text(canonical(document))
    (tmp_path / "corpus.bin").write_bytes((elsewhere / "corpus.bin").read_bytes())
    status, words = from_files(tmp_path)
    assert status == 1
    for path in (
        "ratings[1].rating",
        "variants.davidson.ratings[0].upper",
        "audit.labels.rated",
        "gaps.agent-0.agent-1.reason",
    ):
        assert f"DIFFERS  {path}:" in words
    assert "4 values differ" in words
    assert "to the byte: not the same" in words


def test_other_libraries_change_the_bytes_and_no_number(elsewhere, tmp_path):
    document = json.loads((elsewhere / "public.json").read_text())
    document["libraries"]["numpy"] = "1.0"
    (tmp_path / "public.json").write_text(canonical(document))
    (tmp_path / "corpus.bin").write_bytes((elsewhere / "corpus.bin").read_bytes())
    status, words = from_files(tmp_path, "public")
    assert status == 0
    assert "to the byte: not the same (numpy 1.0 then" in words


def test_other_spacing_changes_the_bytes_and_no_number(elsewhere):
    text = json.dumps(json.loads((elsewhere / "full.json").read_text()), indent=1)
    verdict = verify_document(text, lively_corpus())
    assert verdict.verified
    assert not verdict.same_bytes


def test_another_corpus_is_not_compared_but_refused(elsewhere, tmp_path):
    (tmp_path / "full.json").write_bytes((elsewhere / "full.json").read_bytes())
    (tmp_path / "other.bin").write_bytes(lively_corpus(seed=8).encoded())
    (tmp_path / "cut.bin").write_bytes((elsewhere / "corpus.bin").read_bytes()[:-9])
    (tmp_path / "empty.bin").write_bytes(b"")
    for corpus, words in (("other.bin", "not the corpus behind"), ("cut.bin", "cut off"), ("empty.bin", "first line")):
        status, said = from_files(tmp_path, corpus=corpus)
        assert status == 2
        assert words in said
    assert verify("--document", tmp_path / "none.json", "--corpus", tmp_path / "cut.bin")[0] == 2
    status, said = verify("--document", tmp_path / "full.json")
    assert (status, "give --corpus" in said) == (2, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "'board'"),
        ('{"board": "demo", "code_version": "3", "corpus_digest": 1, "ratings": []}', "'corpus_digest'"),
        ('{"board": "moon", "code_version": "3", "corpus_digest": "", "ratings": []}', "board that does not exist"),
        (
            '{"board": "demo", "code_version": "3", "corpus_digest": "", "ratings": [], "previous": {"a": 1}}',
            "'previous' or 'corrects'",
        ),
        (
            '{"board": "demo", "code_version": "3", "corpus_digest": "", "ratings": [], "corrects": 7}',
            "'previous' or 'corrects'",
        ),
        (
            '{"board": "demo", "code_version": "3", "corpus_digest": "", "ratings": [], "ledger": {"size": "x"}}',
            "'ledger'",
        ),
        ('{"board": "demo", "code_version": "3", "corpus_digest": "", "ratings": [NaN]}', "not JSON"),
        (
            r'{"board": "demo", "code_version": "3", "corpus_digest": "", "ratings": [], "previous": "\ud800"}',
            "not JSON",
        ),
        ('{"audit": [], "board": "demo", "code_version": "3", "corpus_digest": "", "ratings": []}', "'audit'"),
    ],
)
def test_what_is_no_publication_is_refused_in_words(text, words):
    with pytest.raises(CannotVerify, match=words):
        parse_document(text)


def test_files_without_end_and_of_other_kinds_are_refused(elsewhere, tmp_path):
    (tmp_path / "zeros").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "vast").open("wb") as file:
        file.truncate(2**33)
    (tmp_path / "latin").write_bytes(b'{"board": "\xe9"}')
    corpus, document = elsewhere / "corpus.bin", elsewhere / "full.json"
    for name, words in (
        ("zeros", "no ordinary file"),
        ("pipe", "no ordinary file"),
        (".", "no ordinary file"),
        ("vast", "at most"),
        ("loop", "could not be read"),
        ("none", "could not be read"),
    ):
        for given in (
            ("--document", document, "--corpus", tmp_path / name),
            ("--document", tmp_path / name, "--corpus", corpus),
        ):
            status, said = verify(*given)
            assert status == 2
            assert words in said
    status, said = verify("--document", tmp_path / "latin", "--corpus", corpus)
    assert (status, "not UTF-8" in said) == (2, True)


def test_numbers_of_another_version_of_the_code_are_not_compared(elsewhere, tmp_path):
    document = json.loads((elsewhere / "full.json").read_text()) | {"code_version": "2"}
    (tmp_path / "full.json").write_text(canonical(document))
    (tmp_path / "corpus.bin").write_bytes((elsewhere / "corpus.bin").read_bytes())
    status, words = from_files(tmp_path)
    assert status == 3
    assert "Version 2" in words


def test_what_only_one_side_has_differs():
    assert [found.path for found in compare({"a": [1, 2], "b": True}, {"a": [1], "b": 1, "c": {"d": 1}})] == [
        "a[1]",
        "b",
        "c",
    ]
    assert list(compare({"libraries": 1}, {"libraries": 2})) == []


def test_verification_is_rehearsed_on_simulated_votes(monkeypatch):
    status, words = verify("--rehearse")
    assert status == 0
    assert "of one number that was changed, 1 was found" in words
    monkeypatch.setattr("ratings.verification.compare", lambda *_: iter(()))
    assert verify("--rehearse")[0] == 1, "a comparison that finds nothing is found out"


@db
def test_without_a_publication_there_is_nothing_to_verify():
    assert verify() == (0, "Nothing has been published yet, so there is nothing to verify.\n")


@db
def test_what_is_in_force_is_made_again_from_the_database():
    pair = make_pair()
    published(pair)
    second = published(pair, "ba")
    status, words = verify()
    assert status == 0
    assert second.digest in words
    assert "to the byte: the same" in words


@db
def test_an_earlier_publication_is_made_again_after_all_that_came_since():
    pair = make_pair()
    first = published(pair)
    vote = judged(pair, "ada")
    suspend_judge(judge=Vote.objects.earliest("cast_at").judge, actor="operator:1", reason="A script.")
    hold_label(vote=Vote.objects.exclude(pk=vote.pk).latest("cast_at"), actor="operator:1", reason="Improbable.")
    make_agent("cyd", kind="baseline")
    battle = vote.battle
    Battle.objects.filter(pk=battle.pk).update(state="void", voided_at=timezone.now(), void_reason="Late.")
    second = published(pair, "b")
    assert second.corpus_digest != first.corpus_digest
    for publication in (first, second):
        status, words = verify(publication.digest)
        assert status == 0, words
        assert verify(publication.public_digest)[0] == 0


@db
def test_an_account_that_was_bound_leaves_the_corpus_of_then_alone_until_it_takes_over_what_another_device_gave():
    pair = make_pair()
    publication = published(pair)
    first, second, *_ = (vote.judge for vote in Vote.objects.order_by("cast_at"))
    bind_device(device=first, account="account-1", actor="system:test")
    assert verify(publication.digest)[0] == 0
    bind_device(device=second, account="account-1", actor="system:test")
    status, words = verify(publication.digest)
    assert (status, "joined to accounts since" in words) == (3, True)
    again = refit(board=Board.DEMO, actor="system:test").publication
    assert verify(again.digest)[0] == 0
    Vote.objects.filter(winner__isnull=False).update(choice="tie", winner=None)
    assert verify(again.digest)[0] == 1, "an account joined before it explains nothing"


@db
def test_a_retirement_a_new_name_and_a_new_category_leave_the_corpus_of_then_alone():
    agents = make_pair("ada", "bob", "cyd")
    first = published(agents[:2])
    retire_agent(key="ada", cause="superseded", reason="Old.", actor="operator:1")
    Agent.objects.filter(pk="bob").update(name="Zoe")
    make_task(instruction="Another kind of task.")
    void_battle(battle_id=Battle.objects.earliest("created_at").pk, reason="Late.", actor="operator:1")
    second = published(agents[1:], "bcbcb")
    for publication in (first, second):
        assert verify(publication.digest)[0] == 0


@db
def test_a_correction_is_a_publication_of_its_own_that_links_both_ways(monkeypatch, client, settings):
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    with monkeypatch.context() as before:
        for module in ("documents", "publications", "refit", "verification"):
            before.setattr(f"ratings.{module}.CODE_VERSION", "0")
        wrong = published(make_pair())
    text = wrong.document
    right = refit(board=Board.DEMO, actor="system:test").publication
    assert right != wrong, "the same corpus, and other code"
    assert json.loads(right.public_document)["corrects"] == wrong.public_digest
    assert verify(right.digest)[0] == 0
    wrong.refresh_from_db()
    assert wrong.document == text
    addresses = [f"/publications/{publication.public_digest}" for publication in (wrong, right)]
    pages = [client.get(address).content.decode() for address in addresses]
    assert f'<a href="{addresses[1]}">the correction</a>' in pages[0]
    assert f'This corrects <a href="{addresses[0]}">' in pages[1]
    later = published(list(Agent.objects.order_by("key")), "a")
    assert json.loads(later.public_document)["corrects"] is None
    assert "This corrects" not in client.get(f"/publications/{later.public_digest}").content.decode()


@db
def test_a_withdrawal_leaves_a_tombstone_that_says_how_many_rows_went(tmp_path):
    pair = make_pair()
    leaver = make_judge()
    judged(pair, "ada", judge=leaver)
    judged(pair, "bob", judge=leaver)
    first = published(pair)
    withdraw_everything(judge=leaver)
    status, words = verify(first.digest)
    assert status == 3
    assert "gone by withdrawal: 2 of its 7 labels" in words
    status, words = run("export_corpus", "--board", "demo", "--output", str(tmp_path / "corpus.bin"))
    assert status == 3
    assert not (tmp_path / "corpus.bin").exists()
    second = refit(board=Board.DEMO, actor="system:test").publication
    assert verify(second.digest)[0] == 0
    first.refresh_from_db()
    assert digest(first.document) == first.digest, "what was published stays as it was"
    assert json.loads(verify(first.digest, "--json")[1])["code"] == "withdrawn"


@db
def test_a_label_that_never_spoke_on_a_board_leaves_no_tombstone_there():
    leaver = make_judge()
    judged(make_pair(), "ada", judge=leaver)
    at = timezone.now()
    withdraw_everything(judge=leaver)
    assert corpus_as_of(Board.HEADLINE, at).reason.tolist() == [Reason.NOT_LIVE]
    with pytest.raises(CorpusGone):
        corpus_as_of(Board.DEMO, at)


@db
@pytest.mark.parametrize("tampering", ["choice", "trajectory", "answer", "budget"])
def test_rows_changed_behind_the_rules_are_noticed(tampering):
    pair = make_pair()
    publication = published(pair)
    vote = Vote.objects.filter(winner__isnull=False).first()
    loser = vote.battle.attempts.get().lanes.exclude(pk=vote.winner_id).get()
    if tampering == "choice":
        Vote.objects.filter(pk=vote.pk).update(winner=loser)
    elif tampering == "trajectory":
        Lane.objects.filter(pk=loser.pk).update(ended="lost")
    elif tampering == "answer":
        Lane.objects.filter(pk=loser.pk).update(answer="# Another\n\n- answer")
    else:
        Lane.objects.filter(pk=loser.pk).update(budget_steps=99)
    status, words = verify(publication.digest)
    assert status == 1
    assert "no withdrawal explains it" in words
    if tampering != "answer":
        assert "DIFFERS  ratings[0].rating" in words


@db
def test_a_document_changed_in_the_database_is_noticed():
    publication = published(make_pair())
    with connection.cursor() as cursor:
        # What the test wrote may still wait for its deferred checks.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE ratings_publication DISABLE TRIGGER USER")
    text = publication.public_document.replace('"demo"', '"headline"')
    Publication.objects.filter(pk=publication.pk).update(public_document=text)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE ratings_publication ENABLE TRIGGER USER")
    status, words = verify()
    assert status == 1
    assert "stored public document is not the one its digest names" in words


@db
def test_an_export_s_digest_is_the_corpus_digest_and_verifies_elsewhere(tmp_path):
    publication = published(make_pair())
    file = tmp_path / "corpus.bin"
    status, words = run("export_corpus", "--board", "demo", "--output", str(file))
    assert status == 0
    assert publication.digest in words
    assert hashlib.sha256(file.read_bytes()).hexdigest() == publication.corpus_digest
    assert file.stat().st_mode & 0o077 == 0
    (tmp_path / "public.json").write_text(publication.public_document, encoding="utf-8")
    assert from_files(tmp_path, "public")[0] == 0
    assert verify("--corpus", file)[0] == 0
    assert verify(publication.digest, "--corpus", file)[0] == 0
    status, words = run("export_corpus", "--board", "demo", "--output", str(file))
    assert (status, "exists already" in words) == (2, True)


@db
def test_exports_that_cannot_be_say_why(tmp_path):
    status, words = run("export_corpus", "--board", "headline", "--output", str(tmp_path / "corpus.bin"))
    assert (status, "Nothing is published" in words) == (2, True)
    status, words = run(
        "export_corpus", "--board", "headline", "--now", "--output", str(tmp_path / "no" / "corpus.bin")
    )
    assert (status, "could not be written" in words) == (2, True)
    assert verify("no-such-digest")[0] == 2
    assert run("export_corpus", "--board", "headline", "--now", "--output", str(tmp_path / "corpus.bin"))[0] == 0


@db
def test_the_answer_s_marks_are_counted():
    pair = make_pair()
    vote = judged(pair, "ada")
    answer = "# Title\n\n## Part\n- one\n* two\n3. three\nSome **bold** and __bold__.\n#no header\n-no list"
    Lane.objects.filter(attempt__battle=vote.battle, slot="A").update(answer=answer, steps_charged=4, seconds=2.5)
    corpus = read_corpus(Board.DEMO)
    seen = {name: corpus.columns[f"{name}_a"][0] for name in ("length", "headers", "lists", "bold", "steps", "seconds")}
    assert seen == {"length": len(answer), "headers": 2, "lists": 3, "bold": 2, "steps": 4, "seconds": 2.5}
