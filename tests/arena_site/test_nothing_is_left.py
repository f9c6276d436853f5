"""After a withdrawal of everything, sentinel strings are nowhere: no table, file, broker, session or line of a log."""

import logging
import uuid
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from arena_site.accounts.models import SessionStore
from battles.lanes.events import FrameShot
from battles.models import Battle, Step, Task
from governance.models import JournalEntry
from judging.labels import annotate, click_next, judge_step
from judging.objections import report_problem
from judging.votes import cast_vote
from tests.arena_site.accounts.people import identifier_in, sign_up
from tests.battles.factories import PIXEL, ended, lane_of, make_battle, make_votable, race, started, step
from tests.judging.handing import ballot_for

pytestmark = [pytest.mark.django_db, pytest.mark.production]

SENTINEL = "Vexillonaut"


def tables_with(text: str) -> list[str]:
    """Every table of the database that has the text in any column of any row, whoever made it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()")
        found = []
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT 1 FROM "{table}" one WHERE one::text ILIKE %s LIMIT 1', [f"%{text}%"])
            if cursor.fetchone():
                found.append(table)
    return found


def sessions_with(text: str) -> list[str]:
    """Sessions are packed, so that the text would not be found in the column."""
    rows = SessionStore.get_model_class().objects.all()
    return [row.session_key for row in rows if text in repr(row.get_decoded())]


def files_with(text: str) -> list[Path]:
    folders = (Path(settings.STORAGES["frames"]["OPTIONS"]["location"]), Path(settings.ARENA_DATA_DIR) / "snapshots")
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return [file for file in files if text.encode() in file.read_bytes() or text in str(file)]


def values_with(broker, text: str) -> list[bytes]:
    return [key for key in broker.scan_iter("*") if text.encode() in key + (broker.dump(key) or b"")]


def told(slot):
    """A lane with the sentinel wherever a page or an agent can put words, and in its pictures."""
    image = FrameShot(image=PIXEL + SENTINEL.encode() + uuid.uuid4().bytes, mime="image/webp")
    words = {"title": SENTINEL, "reasoning": SENTINEL, "url_before": SENTINEL, "url_after": SENTINEL}
    acted = step(slot, frame=image, target={"name": SENTINEL}, **words)
    return [started(slot), acted, ended(slot, answer=f"It is {SENTINEL}.")]


@pytest.fixture
def given(seeded, post_task, settings):
    """A signed-in person who left the sentinel in every place that takes words."""
    visitor = Client()
    sign_up(visitor, SENTINEL.lower())
    answer = post_task(
        visitor,
        instruction=f"Look up {SENTINEL} for me in the town library.",
        start_url=f"https://{SENTINEL.lower()}.example.org/",
        idempotency_key=SENTINEL,
    )
    assert answer.status_code == 302
    battle = race(Battle.objects.get(), events=told("A") + told("B"))
    judge = Task.objects.get(judge__isnull=False).judge
    cast_vote(
        battle=battle,
        judge=judge,
        ballot=ballot_for(battle, "A", note=f"I know {SENTINEL}."),
        idempotency_key=SENTINEL,
    )
    frame = lane_of(battle, "A").frames.first()
    first = Step.objects.filter(lane=lane_of(battle, "A"), number=1).get()
    Step.objects.filter(pk=first.pk).update(page_text=SENTINEL, refusals=[{"host": SENTINEL}])
    judge_step(battle=battle, judge=judge, step_id=first.pk, verdict="wrong")
    box = (0.1, 0.1, 0.2, 0.2)
    annotate(battle=battle, judge=judge, frame_id=frame.pk, box=box, tag="private_data", note=SENTINEL)
    click_next(battle=battle, judge=judge, frame_id=frame.pk, point=(0.5, 0.5), milliseconds=800)
    practice = make_votable(kind=Battle.Kind.PRACTICE)
    report_problem(battle=practice, judge=judge, kind="private", note=f"It shows {SENTINEL}.")
    session = visitor.session
    session["drafts"] = {"vote": f"note={SENTINEL}"}
    session.save()
    return visitor


def test_sentinels_are_nowhere_afterwards_and_the_audit_is_what_it_was(
    given, broker, caplog, django_capture_on_commit_callbacks
):
    caplog.set_level(logging.DEBUG)
    broker.ping()
    before = tables_with(SENTINEL)
    expected = {"battles_task", "battles_step", "battles_lane", "judging_vote", "judging_annotation", "judging_report"}
    assert {*expected, "accounts_account"} <= set(before)
    assert files_with(SENTINEL)
    assert sessions_with(SENTINEL)
    audit = set(JournalEntry.objects.values_list("pk", flat=True))
    caplog.clear()
    judge = identifier_in(given)
    with django_capture_on_commit_callbacks(execute=True):
        assert given.post("/withdraw", {"what": "everything"}).status_code == 302
    assert tables_with(SENTINEL) == []
    assert files_with(SENTINEL) == []
    assert sessions_with(SENTINEL) == []
    assert values_with(broker, SENTINEL) == []
    assert SENTINEL.lower() not in caplog.text.lower()
    assert audit <= set(JournalEntry.objects.values_list("pk", flat=True))
    assert JournalEntry.objects.filter(actor=f"judge:{judge}").exists()


def test_the_walk_finds_what_is_there(broker):
    """It cannot be that nothing is found because nothing is looked at."""
    make_battle()
    Task.objects.update(overlap_match=SENTINEL)
    assert tables_with(SENTINEL) == ["battles_task"]
    broker.rpush("celery", f"task {SENTINEL}")
    assert values_with(broker, SENTINEL) == [b"celery"]
