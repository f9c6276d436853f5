"""Of each kind of withdrawal: exactly what was taken back is nowhere any more, and everything else is still there."""

import logging
import uuid

import pytest
from django.test import Client
from django.utils import timezone

from battles.imagery.retention import ORIGINALS_KEPT, retain_frames
from battles.lanes.events import FrameShot
from battles.lanes.frame_store import stored_frames
from battles.models import Battle, Frame, Step, Task
from governance import exports
from governance.dataset.building import build_snapshot
from judging.labels import annotate, click_next, judge_step
from judging.models import Click, Offer, StepVerdict
from judging.objections import report_problem
from judging.votes import cast_vote, lock_vote
from tests.arena_site.accounts.people import sign_up
from tests.arena_site.sentinels import (
    found_in,
    found_in_broker,
    found_in_files,
    found_in_tables,
    places_in,
    sentinel,
)
from tests.battles.factories import PIXEL, ended, lane_of, make_votable, race, started, step
from tests.judging.handing import ballot_for

pytestmark = [pytest.mark.django_db, pytest.mark.production]

TASK = {"task", "taskkey", "recording", "picture"}
VOTE = {"note", "votekey"}
EVERYWHERE = {*TASK, *VOTE, "remark", "report", "name", "draft"}
#: What a person says they take back, and the places that it takes with it.
GONE = {
    "everything": EVERYWHERE,
    # The labels stay, and with them what was asked; words beside them may say who somebody is.
    "identity": {"taskkey", *VOTE, "remark", "report", "name", "draft"},
    "kind:task": TASK,
    "kind:vote": {*VOTE, "report"},
    "kind:annotation": {"remark"},
    "kind:step verdict": set(),
    "kind:click": set(),
    "task": {*TASK, *VOTE, "remark"},
    "battle": {*VOTE, "remark"},
}
#: Under which of them the labels without words are emptied.
OF_VERDICTS = {"everything", "task", "battle", "kind:step verdict"}
OF_CLICKS = {"everything", "task", "battle", "kind:click"}


class Killed(BaseException):
    """The process ends here."""


def told(slot):
    image = FrameShot(image=PIXEL + sentinel("picture").encode() + b"." + uuid.uuid4().bytes, mime="image/webp")
    word = sentinel("recording")
    words = {"title": word, "reasoning": word, "url_before": word, "url_after": word}
    acted = step(slot, frame=image, target={"name": word}, **words)
    return [started(slot), acted, ended(slot, answer=f"It is {word}.")]


@pytest.fixture
def place(settings, tmp_path):
    """Files of this test and of no other."""
    settings.ARENA_DATA_DIR = tmp_path
    frames = {"BACKEND": "battles.lanes.frame_files.WholeFileStorage", "OPTIONS": {"location": tmp_path / "frames"}}
    settings.STORAGES = settings.STORAGES | {"frames": frames}
    return tmp_path


@pytest.fixture
def given(place, a_named_operator, seeded, post_task, monkeypatch):
    """A signed-in person who left a word in every place, in a snapshot and in one that was never finished."""
    exports.facts()
    monkeypatch.setattr(exports, "_facts", {})
    visitor = Client()
    sign_up(visitor, sentinel("name").lower())
    word = sentinel("task")
    asked = {"instruction": f"Look up {word} for me in the town library.", "start_url": f"https://{word.lower()}.org/"}
    assert post_task(visitor, **asked, idempotency_key=sentinel("taskkey")).status_code == 302
    battle = race(Battle.objects.get(), events=told("A") + told("B"))
    judge = Task.objects.get(judge__isnull=False).judge
    ballot = ballot_for(battle, "A", note=f"I know {sentinel('note')}.")
    cast_vote(battle=battle, judge=judge, ballot=ballot, idempotency_key=sentinel("votekey"))
    lane = lane_of(battle, "A")
    frame, first = lane.frames.first(), Step.objects.get(lane=lane, number=1)
    Step.objects.filter(pk=first.pk).update(page_text=sentinel("recording"), refusals=[{"host": sentinel("recording")}])
    judge_step(battle=battle, judge=judge, step_id=first.pk, verdict="wrong")
    box = (0.1, 0.1, 0.2, 0.2)
    annotate(battle=battle, judge=judge, frame_id=frame.pk, box=box, tag="private_data", note=sentinel("remark"))
    click_next(battle=battle, judge=judge, frame_id=frame.pk, point=(0.5, 0.5), milliseconds=800)
    practice = make_votable(kind=Battle.Kind.PRACTICE)
    report_problem(battle=practice, judge=judge, kind="private", note=f"It shows {sentinel('report')}.")
    session = visitor.session
    session["drafts"] = {"vote": f"note={sentinel('draft')}"}
    session.save()
    # Of one lane only the masked pictures are left.
    old = Frame.objects.filter(lane=lane_of(battle, "B"))
    old.update(text_redaction="masked", text_boxes=[[0, 0, 1, 1, "e-mail"]], taken_at=timezone.now() - ORIGINALS_KEPT)
    Offer.objects.create(battle=battle, judge=judge, receipt=judge.receipts.first())
    lock_vote(battle=battle, judge=judge)
    Battle.objects.filter(pk=battle.pk).update(state="closed", closed_at=timezone.now())
    build_snapshot(actor="operator:test")
    with pytest.raises(Killed):
        build_snapshot(actor="operator:test", say=killed_after_the_votes)
    return visitor


def killed_after_the_votes(words):
    if words.startswith("votes:"):
        raise Killed


def named(what):
    battle = Battle.objects.get(kind=Battle.Kind.LIVE)
    return {"task": f"task:{battle.task_id}", "battle": f"battle:{battle.pk}"}.get(what, what)


@pytest.mark.parametrize("what", GONE)
def test_what_was_taken_back_is_nowhere_and_nothing_else_went(
    given, what, broker, caplog, django_capture_on_commit_callbacks
):
    caplog.set_level(logging.DEBUG)
    broker.ping()
    with django_capture_on_commit_callbacks(execute=True):
        retain_frames()
    tables, files = found_in_tables(), found_in_files()
    assert places_in(tables) == EVERYWHERE - {"picture"}
    assert any("/.drafts/" in name for name in files)
    assert {"task", "recording", "note", "picture"} <= places_in(files)
    pictures = set(Frame.objects.filter(lane__attempt__battle__kind="live").values_list("sha256", flat=True))
    assert Frame.objects.filter(original_deleted_at__isnull=False).exists()
    caplog.clear()
    with django_capture_on_commit_callbacks(execute=True):
        assert given.post("/withdraw", {"what": named(what)}).status_code == 302
    tables, files = found_in_tables(), found_in_files()
    assert places_in(tables, files) == EVERYWHERE - GONE[what]
    assert {place for name, places in files.items() if "/snapshots/" in name for place in places} == set()
    assert found_in_broker(broker) == {}
    assert found_in(caplog.text) == set()
    left = {name.split("/")[-1].split(".")[0] for name, _ in stored_frames()} & pictures
    assert left == (set() if GONE[what] >= TASK else pictures - {""})
    assert (StepVerdict.objects.get().verdict == "") == (what in OF_VERDICTS)
    assert (Click.objects.get().x is None) == (what in OF_CLICKS)


def test_the_walk_finds_what_is_there(broker, place):
    """It cannot be that nothing is found because nothing is looked at."""
    make_votable()
    Task.objects.update(overlap_match=sentinel("task"))
    assert found_in_tables() == {"battles_task": {"task"}}
    broker.rpush("celery", f"task {sentinel('note')}")
    assert found_in_broker(broker) == {"celery": {"note"}}
    (place / "snapshots").mkdir()
    (place / "snapshots" / "one.jsonl").write_text(sentinel("remark"))
    assert places_in(found_in_files()) >= {"remark"}
