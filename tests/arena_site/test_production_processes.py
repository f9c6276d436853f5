"""The processes of the Procfile, as a production starts them: what they answer, what they say, and how they stop."""

import json
import re
import signal
import threading
import urllib.error
import urllib.request

import psycopg
import pytest
from django.core.management import call_command
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from structlog.contextvars import bound_contextvars

from battles.models import Attempt, Battle
from battles.tasks import race
from governance.tasks import build
from tests.arena_site.production_processes import Process, database_of_the_test, free_port
from tests.arena_site.services.conftest import wait_until
from tests.battles.factories import make_battle

# Starting so many processes takes long: the distribution's servers are where these run, and not in every suite.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stack, pytest.mark.production]

HASHED = "whitenoise.storage.CompressedManifestStaticFilesStorage"
TOKEN = "a-token-that-nobody-guesses"
START_SECONDS = 240


def get(port, path, **headers):
    """Status, headers and text of an answer."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Host": "localhost", **headers})
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def answers(port):
    try:
        return get(port, "/live")[0] == 200
    except OSError:
        return False


def json_lines(process):
    return [json.loads(line) for line in process.said().splitlines() if line.startswith("{")]


@pytest.fixture
def start(tmp_path):
    running = []

    def begin(name, *more, **variables):
        process = Process(name, tmp_path / "logs", *more, **variables)
        running.append(process)
        return process

    yield begin
    for process in running:
        process.end()


def test_the_web_process_is_watched_and_named_in_its_lines_and_finishes_what_it_answers(
    start, settings, tmp_path, broker
):
    port = free_port()
    variables = {
        "PORT": str(port),
        "ARENA_DATA_DIR": str(tmp_path / "data"),
        "ARENA_LOG_FORMAT": "json",
        "ARENA_METRICS_TOKEN": TOKEN,
        "ARENA_TRUSTED_PROXIES": "1",
    }
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": HASHED}}
    settings.STATIC_ROOT = tmp_path / "data" / "static"
    call_command("collectstatic", interactive=False, verbosity=0)
    web = start("web", **variables)
    wait_until(lambda: answers(port), START_SECONDS)

    # Readiness: what this host lacks is named in a word, and nothing else is said.
    status, _, body = get(port, "/ready")
    assert status == 200
    fine = dict.fromkeys(("database", "migrations", "static", "broker", "frames"), "ok")
    assert json.loads(body) == {"status": "degraded", "parts": {**fine, "clock": "late", "workers": "late"}}

    # Lines and answers carry the proxy's identifier, or one of ours where that is none.
    _, headers, _ = get(port, "/nothing-is-here", **{"X-Request-ID": "proxy-made-0001"})
    assert headers["X-Request-ID"] == "proxy-made-0001"
    _, headers, _ = get(port, "/nothing-is-here", **{"X-Request-ID": 'x" forged: "1'})
    made = headers["X-Request-ID"]
    assert re.fullmatch("[0-9a-f]{32}", made)
    battle = make_battle()
    get(port, f"/battles/{battle.pk}")
    lines = json_lines(web)
    assert {"proxy-made-0001", made} <= {line.get("request") for line in lines}
    assert str(battle.pk) in {line.get("battle") for line in lines}
    assert all({"at", "level", "logger", "message"} <= set(line) for line in lines)
    assert TOKEN not in web.said()

    # Figures: for whoever has the token.
    assert get(port, "/metrics")[0] == 404
    assert get(port, "/metrics", Authorization="Bearer a-token-that-somebody-guesses")[0] == 404
    status, headers, body = get(port, "/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200
    families = {family.name: family for family in text_string_to_metric_families(body)}
    requests = {
        (sample.labels["route"], sample.labels["status"]): sample.value
        for sample in families["ringside_requests"].samples
        if sample.name == "ringside_requests_total"
    }
    assert requests["unmatched", "404"] == 2, "both processes count in one place, and no path is a label"
    assert requests["battle", "404"] == 1
    assert {s.labels["state"]: s.value for s in families["ringside_battles"].samples} == {"queued": 1, "racing": 0}
    assert {s.labels["queue"] for s in families["ringside_queue_length"].samples} == {"lanes", "default"}
    assert not any(sample.value for sample in families["ringside_reading_failed"].samples)
    labels = {label for family in families.values() for sample in family.samples for label in sample.labels}
    assert labels <= {"route", "method", "status", "le", "state", "queue", "part", "board", "task", "outcome"}
    assert battle.agent_a.key not in body
    assert battle.agent_a.name not in body

    # A stop waits for the answer that is under way.
    found = []
    with psycopg.connect(database_of_the_test()) as other:
        other.execute("LOCK TABLE battles_agent IN ACCESS EXCLUSIVE MODE")
        asking = threading.Thread(target=lambda: found.append(get(port, "/standings")[0]))
        asking.start()
        wait_until(lambda: waiting_for_agents(other), START_SECONDS)
        web.ask(signal.SIGTERM)
        with pytest.raises(Exception, match="timed out"):
            web.wait(1.0)
        other.rollback()
    asking.join(30)
    assert found == [200]
    assert web.wait() == 0


def waiting_for_agents(connection):
    asked = "SELECT count(*) FROM pg_locks WHERE relation = 'battles_agent'::regclass AND NOT granted"
    return connection.execute(asked).fetchone()[0]


def test_a_workers_lines_say_which_task_and_which_request(start, broker):
    worker = start("default", ARENA_LOG_FORMAT="json")
    with bound_contextvars(request="asked-in-0001"):
        sent = build.delay("00000000-0000-0000-0000-000000000000")
    line = wait_until(lambda: next((one for one in json_lines(worker) if "exception" in one), None), START_SECONDS)
    assert line["task_id"] == sent.id
    assert line["task"] == build.name
    assert line["request"] == "asked-in-0001"
    worker.ask(signal.SIGTERM)
    assert worker.wait() == 0


def begin_race(start, seconds):
    battle = make_battle()
    lanes = start("lanes", "--include tests.arena_site.slow_races", RACE_SECONDS=str(seconds), ARENA_LANE_SLOTS="1")
    race.delay(str(battle.pk))
    wait_until(lambda: Battle.objects.get(pk=battle.pk).state == Battle.State.RACING, START_SECONDS)
    return battle, lanes


def test_a_race_is_finished_when_its_worker_is_asked_to_stop(start, broker):
    battle, lanes = begin_race(start, 3)
    lanes.ask(signal.SIGTERM)
    assert lanes.wait(60) == 0
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOTABLE
    assert battle.attempts.count() == 1


def test_a_race_is_handed_back_at_once_when_its_worker_is_asked_again(start, broker):
    battle, lanes = begin_race(start, 600)
    lease_until = Battle.objects.get(pk=battle.pk).lease_until
    lanes.ask(signal.SIGTERM)
    wait_until(lambda: "Warm shutdown" in lanes.said())
    lanes.ask(signal.SIGTERM)
    lanes.wait(60)
    battle.refresh_from_db()
    assert battle.state == Battle.State.QUEUED
    assert timezone.now() < lease_until, "it does not wait for the lease to run out"
    assert battle.attempts.get().outcome == Attempt.Outcome.BROKEN
    assert broker.llen("lanes") >= 1, "another worker is called"
