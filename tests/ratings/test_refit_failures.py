"""A refit that fails half-way: the last good publication stays, the reason is kept, the next refit succeeds."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from battles.models import Agent, Battle
from governance.models import JournalEntry
from governance.withdrawals import withdraw_everything
from judging.accounts import bind_device
from judging.models import Vote
from judging.trust import decide_hold, hold_label, suspend_judge
from ratings import refit_requests
from ratings.estimators import newton
from ratings.models import Board, Publication, Refit
from ratings.publications import make_document
from ratings.refit import WORKER_STOPPED, refit
from ratings.standings import board_in_force
from ratings.verification import verify_stored
from tests.battles.factories import make_agent, make_judge, set_on
from tests.ratings.published import judged, make_pair, published

ROOT = Path(__file__).parents[2]
#: How long a child may take to start on a busy machine.
PATIENCE_S = 120


def again():
    return refit(board=Board.DEMO, actor="system:test")


def in_a_process_of_its_own():
    """``manage.py refit`` on the database of this test."""
    url = urlsplit(os.environ["ARENA_DATABASE_URL"])
    address = urlunsplit(url._replace(path=f"/{connection.settings_dict['NAME']}"))
    return subprocess.Popen(
        [sys.executable, ROOT / "manage.py", "refit", "--board", "demo"],
        cwd=ROOT,
        env={**os.environ, "ARENA_DATABASE_URL": address},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)


def waiting_for(table):
    """Whether somebody waits to write to a table that this test holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE relation = %s::regclass AND NOT granted", [table])
        return cursor.fetchone()[0] > 0


def nobody_refits():
    """Whether the server has noticed that its client is gone: the connection, and its locks with it, then end."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return cursor.fetchone()[0] == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("moment", ["before the fit", "before it is published"])
def test_c30_a_worker_that_is_killed_leaves_the_last_good_publication_and_the_next_refit_succeeds(moment):
    pair = make_pair()
    good = published(pair)
    judged(pair, "ada")
    judged(pair, "bob")
    table = {"before the fit": "judging_vote", "before it is published": "ratings_publication"}[moment]
    # SHARE stops who writes a publication, and lets pass who only looks whether a refit's row may refer to one.
    mode = "ACCESS EXCLUSIVE" if moment == "before the fit" else "SHARE"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {table} IN {mode} MODE")
        child = in_a_process_of_its_own()
        wait_until(lambda: waiting_for(table))
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    assert Publication.objects.latest("number") == good, "nothing half-made is stored"
    [left] = Refit.objects.filter(outcome=Refit.Outcome.RUNNING)
    wait_until(nobody_refits)
    run = again()
    assert run.outcome == Refit.Outcome.PUBLISHED
    left.refresh_from_db()
    assert (left.outcome, left.reason) == (Refit.Outcome.FAILED, WORKER_STOPPED)
    assert left.ended_at is not None
    assert [found.number for found in Publication.objects.order_by("number")] == [1, 2]
    assert run.publication.previous == good


@pytest.mark.django_db(transaction=True)
def test_a_refit_that_waits_for_another_is_not_taken_for_dead():
    pair = make_pair()
    published(pair)
    judged(pair, "ada")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE judging_vote IN ACCESS EXCLUSIVE MODE")
        children = [in_a_process_of_its_own() for _ in range(2)]
        wait_until(lambda: Refit.objects.filter(outcome=Refit.Outcome.RUNNING).count() == 2)
    assert [child.wait(timeout=PATIENCE_S) for child in children] == [0, 0]
    outcomes = sorted(Refit.objects.values_list("outcome", flat=True))
    assert outcomes == ["published", "published", "unchanged"]


@pytest.mark.django_db(transaction=True)
def test_a_vote_that_was_still_being_written_is_of_the_next_publication_and_all_are_made_again():
    pair = make_pair()
    published(pair)
    judged(pair, "bob")
    late = judged(pair, "ada")
    set_on(Vote.objects.filter(pk=late.pk), locked_at=None)
    written, published_meanwhile = threading.Event(), threading.Event()

    def lock():
        with transaction.atomic():
            Vote.objects.filter(pk=late.pk).update(locked_at=timezone.now())
            written.set()
            assert published_meanwhile.wait(PATIENCE_S)
        connection.close()

    writer = threading.Thread(target=lock)
    writer.start()
    assert written.wait(PATIENCE_S)
    judged(pair, "ada")
    meanwhile = again()
    published_meanwhile.set()
    writer.join()
    assert meanwhile.outcome != Refit.Outcome.FAILED
    assert again().publication.labels_cast == 8
    for publication in Publication.objects.all():
        assert verify_stored(publication).verified


@pytest.mark.django_db
@pytest.mark.parametrize("endless", [False, True])
def test_what_was_stamped_before_the_reading_and_came_after_it_is_fitted_too(monkeypatch, endless):
    pair = make_pair()
    published(pair)
    judged(pair, "ada")
    stamp = timezone.now()
    came = []

    def fitted_while_a_vote_comes(**given):
        if endless or not came:
            came.append(judged(pair, "bob"))
            Vote.objects.filter(pk=came[-1].pk).update(locked_at=stamp)
            Battle.objects.filter(pk=came[-1].battle_id).update(created_at=stamp, votable_at=stamp)
        return make_document(**given)

    monkeypatch.setattr("ratings.refit.make_document", fitted_while_a_vote_comes)
    run = again()
    if endless:
        assert (run.outcome, run.publication) == (Refit.Outcome.FAILED, None)
        assert "kept coming in" in run.reason
    else:
        assert run.publication.labels_cast == 7
        assert verify_stored(run.publication).verified


@pytest.mark.django_db
def test_a_refit_that_is_held_back_publishes_nothing_older_than_what_is_in_force(monkeypatch):
    pair = make_pair()
    good = published(pair)
    judged(pair, "ada")
    monkeypatch.setattr("ratings.refit._settled", lambda _: good.corpus_read_at - timedelta(minutes=1))
    run = again()
    assert (run.outcome, run.publication) == (Refit.Outcome.UNCHANGED, good)
    monkeypatch.undo()
    assert again().outcome == Refit.Outcome.PUBLISHED


@pytest.mark.django_db
def test_c30_a_search_that_does_not_end_publishes_nothing(monkeypatch, caplog):
    pair = make_pair()
    good = published(pair)
    judged(pair, "ada")
    monkeypatch.setattr(newton, "MAX_STEPS", 1)
    with caplog.at_level(logging.ERROR):
        run = again()
    assert (run.outcome, run.publication) == (Refit.Outcome.FAILED, None)
    assert run.reason == "The fit did not converge."
    assert "published nothing" in caplog.text
    assert JournalEntry.objects.get(action="ratings:refit:fail").reason == run.reason
    assert list(Publication.objects.all()) == [good]
    assert board_in_force() == good
    monkeypatch.undo()
    assert again().outcome == Refit.Outcome.PUBLISHED


@pytest.mark.django_db
def test_c30_a_number_that_is_none_publishes_nothing(monkeypatch):
    pair = make_pair()
    good = published(pair)
    judged(pair, "ada")
    whole = np.log10
    monkeypatch.setattr("ratings.headline.win_probability", lambda gap: whole(-1.0))
    with np.errstate(invalid="ignore"):
        run = again()
    assert run.outcome == Refit.Outcome.FAILED
    assert "nan cannot be published" in run.reason
    assert list(Publication.objects.all()) == [good]
    monkeypatch.undo()
    assert again().outcome == Refit.Outcome.PUBLISHED


@pytest.mark.django_db
def test_a_failure_nobody_thought_of_is_kept_with_its_reason(monkeypatch):
    pair = make_pair()
    published(pair)
    judged(pair, "ada")
    monkeypatch.setattr("ratings.documents.win_shares", None)
    run = again()
    assert (run.outcome, run.reason) == (Refit.Outcome.FAILED, "'NoneType' object is not callable")
    assert Refit.objects.filter(outcome=Refit.Outcome.RUNNING).count() == 0


@pytest.mark.django_db
def test_a_board_that_has_not_begun_wakes_nobody(caplog):
    with caplog.at_level(logging.ERROR):
        run = again()
    assert run.outcome == Refit.Outcome.FAILED
    assert not caplog.text
    assert not JournalEntry.objects.filter(action="ratings:refit:fail").exists()


@pytest.mark.django_db
def test_withdrawals_explain_that_labels_become_fewer():
    pair = make_pair()
    leaver = make_judge()
    for choice in ("ada", "bob", "ada"):
        judged(pair, choice, judge=leaver)
    published(pair)
    withdraw_everything(judge=leaver)
    run = again()
    assert run.outcome == Refit.Outcome.PUBLISHED, run.reason
    audit = json.loads(run.publication.document)["audit"]
    assert (audit["labels"]["withdrawn"], audit["labels"]["rated"]) == (3, 5)
    assert run.publication.labels_withdrawn == 3


@pytest.mark.django_db
def test_rows_that_a_withdrawal_deletes_are_explained_and_others_are_not():
    pair = make_pair()
    leaver = make_judge()
    judged(pair, "ada", judge=leaver)
    published(pair)
    Vote.objects.filter(judge=leaver).update(locked_at=None)
    assert again().outcome == Refit.Outcome.FAILED
    withdraw_everything(judge=leaver)
    assert again().outcome == Refit.Outcome.PUBLISHED
    Vote.objects.filter(pk=Vote.objects.exclude(judge=leaver).latest("cast_at").pk).update(locked_at=None)
    run = again()
    assert run.outcome == Refit.Outcome.FAILED
    assert "withdrawals explain 0" in run.reason


@pytest.mark.django_db
def test_a_ranked_agent_does_not_leave_the_board_silently():
    agents = make_pair("ada", "bob", "cyd")
    for one, other in ((0, 1), (1, 2), (0, 2)):
        judged((agents[one], agents[other]), agents[one].key)
        judged((agents[one], agents[other]), agents[other].key)
    published(agents[:2])
    for vote in Vote.objects.filter(battle__agent_b="cyd"):
        hold_label(vote=vote, actor="operator:1", reason="Improbable.")
    run = again()
    assert run.outcome == Refit.Outcome.PUBLISHED
    rows = {row["agent"]: row["reason"] for row in json.loads(run.publication.public_document)["ratings"]}
    assert rows["cyd"] == "all_excluded"
    Agent.objects.filter(pk="cyd").update(affiliated_from=timezone.now())
    run = again()
    assert run.outcome == Refit.Outcome.PUBLISHED, "the operator took a stake in it, which unranks it by rule"
    assert "cyd" not in {row["agent"] for row in json.loads(run.publication.public_document)["ratings"]}


@pytest.fixture
def asked(monkeypatch):
    """How often a refit was asked for, whatever the size of the corpus."""
    monkeypatch.setattr(refit_requests, "REFIT_AT_ONCE_BELOW", 0)
    sent = []
    monkeypatch.setattr("celery.app.base.Celery.send_task", lambda _app, name, **_: sent.append(name))
    return sent


@pytest.mark.django_db
def test_whatever_decides_whose_labels_rate_asks_for_a_refit(asked, django_capture_on_commit_callbacks):
    pair = make_pair()
    judge = make_judge()
    vote = judged(pair, "ada", judge=judge)
    with django_capture_on_commit_callbacks(execute=True):
        bind_device(device=judge, account="account-1", actor="system:test")
    assert asked == ["ratings.refit"]
    with django_capture_on_commit_callbacks(execute=True):
        held = hold_label(vote=vote, actor="operator:1", reason="Improbable.")
        decide_hold(held=held, decision="released", actor="operator:1", reason="Careful.")
    with django_capture_on_commit_callbacks(execute=True):
        suspend_judge(judge=judge, actor="operator:1", reason="A script.")
    assert len(asked) == 4
    with django_capture_on_commit_callbacks(execute=True):
        withdraw_everything(judge=judge)
    assert len(asked) == 5


def test_a_refit_comes_every_night():
    [nightly] = [entry for entry in settings.CELERY_BEAT_SCHEDULE.values() if entry["task"] == "ratings.refit"]
    assert nightly["schedule"].remaining_estimate(timezone.now()) <= timedelta(days=1)


@pytest.mark.django_db
def test_somebody_who_left_and_an_agent_that_joined_change_nothing_published():
    pair = make_pair()
    good = published(pair)
    text = good.document
    make_agent("newcomer")
    again()
    good.refresh_from_db()
    assert good.document == text
