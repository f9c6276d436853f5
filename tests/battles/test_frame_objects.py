"""Frames in object storage behave as on a disk: whole or not at all, swept, withdrawn, and reached by the site alone.

The server is a real one, over HTTP; see ``object_storage`` for what it cannot show.
"""

import logging
import os

import pytest
from django.test import Client

from arena_site.environment import ArenaConfigurationError, read_environment
from battles.frame_sweep import YOUNGEST, sweep_frames
from battles.imagery.masks import PictureAway, shown_image
from battles.imagery.retention import FRAMES_KEPT, retain_frames
from battles.lanes.frame_store import (
    FrameStoreFull,
    delete_frame,
    frame_name,
    frame_storage,
    read_frame,
    store_frame,
    stored_frames,
)
from battles.lanes.race import run_battle
from battles.models import Battle, Frame
from battles.withdrawals import withdraw_tasks
from governance.contributions import Part
from governance.object_storage import ObjectStore, ObjectStoreAway
from judging.site_visits import PLAIN_FILES
from tests.battles.factories import ended, make_battle, make_votable, race, started
from tests.battles.object_storage import BUCKET, FAULTS, KEYS, object_server

IMAGE = os.urandom(60_000)


@pytest.fixture(scope="module")
def server():
    with object_server() as running:
        yield running


@pytest.fixture(autouse=True)
def frames_in_objects(server, settings, monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)

    def use(**other):
        settings.STORAGES = settings.STORAGES | {"frames": server.storage(**other), "staticfiles": PLAIN_FILES}

    use()
    yield use
    server.allow()
    server.empty()


def test_the_address_says_where_frames_lie_and_never_with_which_key(server):
    read = read_environment({"ARENA_FRAMES_URL": server.url + "&region=eu-central-1"})["ARENA_FRAMES_URL"]
    assert read == server.storage(region_name="eu-central-1")["OPTIONS"]
    for wrong in (
        "https://bucket/x",
        "s3://",
        "s3://key:secret@bucket/x",
        "s3://bucket?endpoint=ftp://x",
        "s3://bucket?acl=public",
        "s3://bucket?endpoint=https://key:secret@host",
    ):
        with pytest.raises(ArenaConfigurationError, match="ARENA_FRAMES_URL") as refusal:
            read_environment({"ARENA_FRAMES_URL": wrong})
        assert "secret" not in str(refusal.value).replace("AWS_SECRET", "")


def test_an_image_is_kept_once_under_its_digest(server):
    digest = store_frame(IMAGE, "image/webp")
    assert store_frame(IMAGE, "image/webp") == digest
    assert read_frame(digest, "image/webp") == IMAGE
    assert server.keys() == [f"of/this-arena/{frame_name(digest, 'image/webp')}"]
    assert [name for name, _ in stored_frames()] == [frame_name(digest, "image/webp")]
    assert server.client.head_object(Bucket=BUCKET, Key=server.keys()[0])["ContentType"] == "image/webp"


def test_a_cut_image_is_written_again(server):
    digest = store_frame(IMAGE, "image/webp")
    server.client.put_object(Bucket=BUCKET, Key=server.keys()[0], Body=IMAGE[:500])
    store_frame(IMAGE, "image/webp")
    assert read_frame(digest, "image/webp") == IMAGE


def test_a_lost_image_is_told_from_a_lost_store_and_deleting_twice_is_no_error(frames_in_objects):
    digest = store_frame(IMAGE, "image/webp")
    delete_frame(digest, "image/webp")
    delete_frame(digest, "image/webp")
    with pytest.raises(FileNotFoundError):
        read_frame(digest, "image/webp")
    frames_in_objects(bucket_name="nobody-made-this")
    with pytest.raises(ObjectStoreAway, match="bucket of the object storage does not exist"):
        read_frame(digest, "image/webp")


def test_a_list_of_more_than_a_page_is_read_to_its_end(server, monkeypatch):
    monkeypatch.setattr(ObjectStore, "page", 2)
    for number in range(5):
        server.client.put_object(Bucket=BUCKET, Key=f"of/this-arena/{number}", Body=b"")
    server.client.put_object(Bucket=BUCKET, Key="of/another-arena/1", Body=b"")
    assert [name for name, _ in stored_frames()] == ["0", "1", "2", "3", "4"]


def test_no_picture_has_an_address_of_its_own():
    with pytest.raises(NotImplementedError):
        frame_storage().url("aa/bb/x.webp")


@pytest.fixture(params=FAULTS, ids=lambda fault: fault.__name__)
def fault(request, frames_in_objects, server):
    def happens():
        request.param(frames_in_objects, server)
        return FAULTS[request.param]

    return happens


def test_every_fault_says_what_it_is_without_keys_and_addresses(fault, caplog):
    words = fault()
    with caplog.at_level(logging.DEBUG), pytest.raises(FrameStoreFull, match=words) as problem:
        store_frame(IMAGE, "image/webp")
    with pytest.raises(OSError, match=words):
        frame_storage().probe()
    assert "127.0.0.1" not in str(problem.value)


@pytest.mark.django_db
@pytest.mark.production
def test_a_race_whose_pictures_cannot_be_kept_is_void_in_words(fault):
    words = fault()
    battle = make_battle()

    def lane(order, emit, barrier, stop, folder):
        emit(started(order.slot))
        stop.wait(timeout=20)
        emit(ended(order.slot))

    assert run_battle(battle.pk, worker="test:1", lane=lane)
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID
    assert words in battle.void_reason
    assert "127.0.0.1" not in battle.void_reason
    assert Frame.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.production
def test_a_frames_page_answers_503_while_the_store_is_away_and_the_picture_after_that(
    fault, frames_in_objects, server, caplog
):
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    frame = Frame.objects.filter(lane__attempt__battle=battle).first()
    address = f"/battles/{battle.pk}/frames/{frame.pk}"
    assert Client().get(address).status_code == 200
    words = fault()
    answer = Client().get(address)
    assert answer.status_code == 503
    assert "cannot be reached right now" in answer.content.decode()
    assert words not in answer.content.decode(), "what is wrong with the store is for operators"
    assert words in caplog.text
    assert "immutable" not in answer.headers.get("Cache-Control", "")
    with pytest.raises(PictureAway):
        shown_image(frame, original=True)
    server.allow()
    frames_in_objects()
    assert Client().get(address).status_code == 200


@pytest.mark.django_db
def test_a_frame_in_objects_stays_behind_the_rules_of_who_may_see_it():
    battle = make_votable()
    frame = Frame.objects.filter(lane__attempt__battle=battle).first()
    answer = Client().get(f"/battles/{battle.pk}/frames/{frame.pk}")
    assert answer.status_code == 404
    assert "Location" not in answer.headers


@pytest.mark.django_db
@pytest.mark.production
def test_the_sweep_takes_what_no_frame_names_and_nothing_while_the_store_is_away(frames_in_objects, server):
    race(make_battle())
    orphan = store_frame(IMAGE, "image/webp")
    assert sweep_frames() == 0
    real = type(frame_storage()).files
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            type(frame_storage()),
            "files",
            lambda self: ((name, at - 2 * YOUNGEST) for name, at in real(self)),
        )
        server.deny()
        assert sweep_frames() == 0
        server.allow()
        assert sweep_frames() == 1
    with pytest.raises(FileNotFoundError):
        read_frame(orphan, "image/webp")
    assert {frame.sha256 for frame in Frame.objects.all()} == {name.split("/")[2][:64] for name, _ in stored_frames()}


@pytest.mark.django_db
@pytest.mark.production
def test_a_withdrawal_deletes_the_objects(server, django_capture_on_commit_callbacks):
    battle = race(make_battle())
    assert server.keys()
    with django_capture_on_commit_callbacks(execute=True):
        assert withdraw_tasks(battle.task.judge, Part()) == 1
    assert server.keys() == []


@pytest.mark.django_db
def test_retention_loses_no_picture_to_a_store_that_is_away(server, django_capture_on_commit_callbacks):
    race(make_battle())
    Frame.objects.update(taken_at="2020-01-01T00:00Z")
    server.deny()
    with django_capture_on_commit_callbacks(execute=True):
        retained = retain_frames(now=Frame.objects.first().taken_at + FRAMES_KEPT / 2)
    assert retained.failed
    assert not retained.masked
    assert not Frame.objects.exclude(original_deleted_at=None).exists()
