"""Whether a host can serve, said in words and within seconds, whatever hangs."""

import threading
import time
from datetime import timedelta

import pytest
from django.core.files.storage import storages
from django.db import OperationalError, connections
from django.utils import timezone

from arena_site.monitoring import readiness
from arena_site.monitoring.readiness import Part
from arena_site.monitoring.readings import Readings, battles
from battles.models import Battle
from battles.racing import start_attempt
from governance.object_storage import ObjectStoreAway
from tests.battles.factories import make_battle, set_on


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(readiness, "PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(readiness, "FRESH_SECONDS", 0.0)


def test_what_hangs_is_waited_for_once_and_not_for_long(quick):
    release, asked = threading.Event(), []

    def hangs():
        asked.append(1)
        release.wait(30)
        return "ok"

    parts = {"database": Part(hangs, needed=True)}
    began = time.monotonic()
    for _ in range(3):
        assert readiness.readiness(parts) == ("down", {"database": "down"})
    assert time.monotonic() - began < 10
    assert asked == [1], "a question that hangs is not asked again"
    release.set()
    parts["database"]._thread.join()
    assert readiness.readiness(parts) == ("ok", {"database": "ok"})


def test_what_the_site_can_do_without_only_degrades_it(quick):
    def away():
        raise ObjectStoreAway(None, "the object storage does not answer")

    parts = {"database": Part(lambda: "ok", needed=True), "frames": Part(away, needed=False)}
    assert readiness.readiness(parts) == ("degraded", {"database": "ok", "frames": "down"})


def test_an_answer_is_good_for_a_moment(monkeypatch):
    asked = []
    parts = {"database": Part(lambda: asked.append(1) or "ok", needed=True)}
    monkeypatch.setattr(readiness, "FRESH_SECONDS", 60.0)
    for _ in range(5):
        readiness.readiness(parts)
    assert asked == [1]


def test_frames_that_cannot_be_kept_are_said(settings, tmp_path):
    (tmp_path / "taken").write_text("a file where the folder should be")
    settings.STORAGES = settings.STORAGES | {
        "frames": {
            "BACKEND": "battles.lanes.frame_files.WholeFileStorage",
            "OPTIONS": {"location": tmp_path / "taken" / "frames"},
        }
    }
    assert storages["frames"]
    part = Part(readiness.frames, needed=False)
    part.begin()
    assert part.end(time.monotonic() + 30) == "down"


@pytest.mark.django_db
@pytest.mark.parametrize(("only_read", "status", "word"), [("off", 200, "ok"), ("on", 503, "read-only")])
def test_a_database_that_takes_no_vote_is_no_host_to_send_people_to(client, monkeypatch, only_read, status, word):
    mine = connections.settings["default"]
    told = {**mine["OPTIONS"], "options": f"-c default_transaction_read_only={only_read}"}
    monkeypatch.setitem(mine, "OPTIONS", told)
    monkeypatch.setattr(readiness, "PARTS", {"database": Part(readiness.database, needed=True)})
    answer = client.get("/ready")
    assert (answer.status_code, answer.json()["parts"]) == (status, {"database": word})


@pytest.mark.django_db
def test_being_alive_asks_nobody_and_tells_nothing(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.get("/live")
    assert answer.json() == {"status": "ok"}


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer "}, {"Authorization": "Bearer x"}])
def test_without_a_token_there_are_no_figures(client, headers, settings):
    assert client.get("/metrics", headers=headers).status_code == 404
    settings.ARENA_METRICS_TOKEN = "a-token-that-nobody-guesses"
    assert client.get("/metrics", headers=headers).status_code == 404


@pytest.fixture
def named(settings, monkeypatch, tmp_path):
    """A site that is reached under its name alone, and has a host to be watched."""
    settings.ALLOWED_HOSTS = ["arena.example"]
    settings.ARENA_METRICS_TOKEN = "a-token-that-nobody-guesses"
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr(readiness, "PARTS", {"database": Part(lambda: "ok", needed=True)})


@pytest.mark.django_db
@pytest.mark.parametrize("host", ["10.0.0.7:8000", "[fd00::7]:8000", "web-2"])
def test_what_watches_over_a_host_asks_it_by_its_address(client, named, host):
    token = {"Authorization": "Bearer a-token-that-nobody-guesses"}
    assert client.get("/live", headers={"Host": host}).json() == {"status": "ok"}
    assert client.get("/ready", headers={"Host": host}).status_code == 200
    assert b"ringside_" in client.get("/metrics", headers={"Host": host} | token).content


@pytest.mark.django_db
def test_and_what_is_asked_so_is_kept_from_others_as_before(client, named):
    by_address = {"Host": "10.0.0.7:8000"}
    assert client.get("/metrics", headers=by_address).status_code == 404
    assert client.get("/metrics", headers=by_address | {"Authorization": "Bearer x"}).status_code == 404
    assert client.post("/live", headers=by_address).status_code == 405
    for path in ("/", "/status", "/ready/", "/lively", "/api/metrics", "/battles/new"):
        assert client.get(path, headers=by_address).status_code == 400, path


@pytest.mark.django_db
@pytest.mark.parametrize(("hours", "lost"), [(-30, 0), (30, 0), (0, 1)])
def test_a_lease_has_run_out_by_the_databases_clock(time_machine, hours, lost):
    start_attempt(battle_id=make_battle().pk, worker="test:1")
    if lost:
        set_on(Battle.objects.all(), lease_until=timezone.now() - timedelta(seconds=1))
    time_machine.move_to(timezone.now() + timedelta(hours=hours))
    found = {metric.name: metric for metric in battles()}
    assert [sample.value for sample in found["ringside_leases_run_out"].samples] == [lost]


@pytest.mark.django_db
def test_free_space_and_the_broker_are_told_while_the_database_is_away(monkeypatch, broker):
    def away(*_, **__):
        raise OperationalError("the database is away")

    monkeypatch.setattr("arena_site.monitoring.readings.connection.cursor", away)
    told = {metric.name: metric for metric in Readings().collect()}
    failed = {sample.labels["part"]: sample.value for sample in told["ringside_reading_failed"].samples}
    assert failed == {"battles": 1, "refits": 1, "promises": 1, "clock": 1, "broker": 0, "disk": 0}
    assert told["ringside_data_disk_free_bytes"].samples[0].value > 0
