"""Work that the clock sends twice, as after a kill in the wrong millisecond, does nothing twice.

The broker's messages are not looked at: they are doorbells, and one too many finds nothing to do.
"""

import os

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.utils import timezone

from arena_site.accounts.models import SpentProof
from arena_site.celery import app
from battles.imagery import picture_reading
from battles.lanes.frame_store import frame_storage
from battles.models import Battle, Frame
from battles.preregistrations import Outcome, PromisedMetric, preregister, register_promised_metric
from battles.racing import start_attempt
from governance.dataset.building import build_snapshot
from governance.licensing import deliver_snapshot, register_licensee
from governance.models import Withdrawal
from judging.anomaly_watch import OTHERS_NEEDED
from judging.models import Vote
from judging.visibility import REPEAT_WITHIN
from ratings.judge_flags import Flag
from tests.battles.factories import make_battle, make_judge, make_votable, minutes_ago, race, set_on
from tests.governance.dataset.boards import ACTOR, closed_battle, take_back, vote
from tests.governance.dataset.conftest import named_operator, quick_claims  # noqa: F401 - its folder for all files
from tests.judging.handing import hand_to
from tests.judging.test_anomaly_watch import hurried, voted
from tests.ratings.published import judged, make_pair

pytestmark = [pytest.mark.django_db, pytest.mark.production]

#: Tables that have a row for each run, and why.
NOTED_EACH_RUN = {
    "ratings.Refit": "when a board was fitted last is watched, and a fit that found nothing new is one",
}
#: Entries of the journal that are made at each run, and why.
ENTERED_EACH_RUN = {
    "battles:draws:watch": "it says what was found at that look, and the look itself is what is asked for",
    "battles:frames:retain": "that pictures go when they should is shown by a row a run, with nothing due too",
    "arena:logs:retain": "the same of logs",
}
#: Work that stores nothing, whatever it finds.
SAYS_IT_IN_THE_LOG = {"say which decisions are overdue"}


class NothingDrawn:
    """Reads pictures as the library does where no words are drawn, without its fifteen seconds."""

    def boxes(self, image, *, width, height):
        return ()


def stored(folder):
    """Every row of every table, and every file in the data folder."""
    found = {}
    for model in apps.get_models():
        label = model._meta.label
        if label not in NOTED_EACH_RUN:
            rows = model._base_manager.order_by("pk")
            noted = rows.exclude(action__in=ENTERED_EACH_RUN) if label == "governance.JournalEntry" else rows
            found[label] = list(noted.values())
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return found | {"files": files}


def changed(before, after):
    return {name for name in after if after[name] != before[name]}


@pytest.fixture
def on_commit(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def board(seeded, broker, on_commit, monkeypatch, tmp_path):
    """A small arena that leaves something to do to every piece of work."""
    monkeypatch.setattr(picture_reading, "PictureOcr", NothingDrawn)
    monkeypatch.setattr(picture_reading, "ocr_is_installed", lambda: True)
    monkeypatch.setattr("governance.dataset.recalls._ring", lambda: None)
    monkeypatch.setattr("battles.practice.PRACTICE_STOCK", 100)
    # Nothing is made while a battle waits, so that the lost one is given up.
    monkeypatch.setattr("battles.racing.MAX_ATTEMPTS", 1)
    agents = make_pair()
    due, suspect = judged(agents, "bob"), judged(agents, "ada")
    set_on(Vote.objects.filter(pk=due.pk), locked_at=None, cast_at=minutes_ago(60 * 24))
    flag = Flag(suspect.judge_id, "", "All of it is improbable.")
    monkeypatch.setattr("ratings.judge_flags.find_flags", lambda cast, changes: [flag] if cast else [])
    hasty = [make_votable(agents=agents, kind=Battle.Kind.PRACTICE) for _ in range(5)]
    for number in range(OTHERS_NEEDED):
        voted(make_judge(), hasty[number % 5], "A", seconds=50 + number)
    hurried(make_judge(), hasty)
    promise_what_came_out(monkeypatch, agents)
    leave_a_second_look_open()
    owe_a_replacement(on_commit)
    lost = make_battle(agents=agents)
    start_attempt(battle_id=lost.pk, worker="test:1")
    set_on(Battle.objects.filter(pk=lost.pk), lease_until=minutes_ago(5))
    leave_old_things_behind(tmp_path, agents)


def promise_what_came_out(monkeypatch, agents):
    monkeypatch.setattr("battles.preregistrations._metrics", {})
    register_promised_metric(PromisedMetric("coins", "How often heads come up.", lambda promise: Outcome("Half.")))
    keys = [agent.key for agent in agents]
    preregister(agents=keys, metric="coins", size=30, analysis="We expect heads.", actor=ACTOR)


def leave_a_second_look_open():
    """Nobody came back for it, so that the ticker moves by time."""
    battle = closed_battle()
    judge = make_judge()
    hand_to(battle, judge, comes_back=True)
    vote(battle, judge, locked_at=timezone.now() - REPEAT_WITHIN - (timezone.now() - minutes_ago(60)))


def owe_a_replacement(on_commit):
    """Of a snapshot that a licensee has and a task was taken out of; and a letter that nobody read waits too long."""
    owner, writer = make_judge(), make_judge()
    vote(closed_battle(owner))
    vote(closed_battle(), writer)
    with on_commit():
        snapshot = build_snapshot(actor=ACTOR)
    licensee = register_licensee(name="Lab", terms="For research.", address="lab@lab.example", actor=ACTOR).licensee
    deliver_snapshot(snapshot=snapshot, licensee=licensee, actor=ACTOR)
    with on_commit():
        take_back(owner)
    Withdrawal.objects.create(judge=writer, channel="mail", received_at=minutes_ago(60 * 24 * 29))


def leave_old_things_behind(folder, agents):
    old = race(make_battle(agents=agents))
    set_on(Frame.objects.filter(lane__attempt__battle=old), taken_at=minutes_ago(60 * 24 * 1000))
    orphan = frame_storage().save("aa/bb/x.webp", ContentFile(b"x"))
    os.utime(frame_storage().path(orphan), (0, 0))
    (folder / "logs").mkdir()
    (folder / "logs" / "web.log").write_text("A line.\n")
    SpentProof.objects.create(digest="d" * 64, expires_at=minutes_ago(60))


def test_whatever_the_clock_sends_is_done_once(board, on_commit, tmp_path):
    app.loader.import_default_modules()
    once, twice = {}, {}
    before = stored(tmp_path)
    for name, entry in app.conf.beat_schedule.items():
        for found in (once, twice):
            with on_commit():
                app.tasks[entry["task"]].run(*entry.get("args", ()), **entry.get("kwargs", {}))
            after = stored(tmp_path)
            found[name] = changed(before, after)
            before = after
    assert {name: tables for name, tables in twice.items() if tables} == {}
    # Where the first run has nothing to do, the second proves nothing.
    assert {name for name, tables in once.items() if not tables} == SAYS_IT_IN_THE_LOG
