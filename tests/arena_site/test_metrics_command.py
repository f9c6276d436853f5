"""Figures of a host that runs no web: what its workers count, for whoever has the token, at one address."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from django.core.management import CommandError, call_command
from prometheus_client.parser import text_string_to_metric_families

from arena_site.environment import CHECKOUT
from tests.arena_site.production_processes import free_port
from tests.arena_site.services.conftest import wait_until

TOKEN = "a-token-that-nobody-guesses"
#: A worker that has forked, as they do; neither process lives when the figures are asked for.
COUNTS = """
import os
import django
django.setup()
from arena_site.monitoring.counters import TASKS
child = os.fork()
TASKS.labels("battles.race", "done").inc()
if child:
    os.waitpid(child, 0)
"""


def get(port, path="/metrics", method="GET", **headers):
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers, method=method)
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def listens(port):
    try:
        return get(port)[0] == 404
    except OSError:
        return False


@pytest.fixture
def environment(tmp_path):
    kept = {name: value for name, value in os.environ.items() if name != "PROMETHEUS_MULTIPROC_DIR"}
    mine = {"ARENA_DATA_DIR": str(tmp_path / "data"), "ARENA_METRICS_TOKEN": TOKEN}
    return kept | mine | {"DJANGO_SETTINGS_MODULE": "arena_site.settings"}


@pytest.fixture
def port(environment, tmp_path):
    number = free_port()
    command = [sys.executable, "manage.py", "metrics", "--listen", f"127.0.0.1:{number}"]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=CHECKOUT, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        wait_until(lambda: listens(number), 120)
        yield number
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0, "a stop is a stop of the server itself"
        assert TOKEN not in (tmp_path / "log").read_text()
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def test_what_workers_of_this_host_counted_is_told_to_whoever_has_the_token_and_to_nobody_else(environment, port):
    subprocess.run([sys.executable, "-c", COUNTS], cwd=CHECKOUT, env=environment, check=True)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    status, headers, body = get(port, **bearer)
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "no-store" in headers["Cache-Control"]
    families = {family.name: family for family in text_string_to_metric_families(body)}
    [counted] = families["ringside_tasks"].samples
    assert (counted.labels, counted.value) == ({"task": "battles.race", "outcome": "done"}, 2)
    assert {"ringside_data_disk_free_bytes", "ringside_queue_length", "ringside_reading_failed"} <= set(families)
    assert get(port)[0] == 404
    assert get(port, Authorization="Bearer a-token-that-somebody-guesses")[0] == 404
    assert get(port, method="POST", **bearer)[0] == 405
    for path in ("/", "/ready", "/admin/", "/metrics/", "//metrics"):
        status, _, body = get(port, path, **bearer)
        assert (status, body) == (404, "There is nothing here.\n")


def test_without_a_token_or_with_half_an_address_nothing_listens(settings):
    with pytest.raises(CommandError, match="ARENA_METRICS_TOKEN"):
        call_command("metrics")
    settings.ARENA_METRICS_TOKEN = TOKEN
    for wrong in ("9464", ":9464", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:http"):
        with pytest.raises(CommandError, match="HOST:PORT"):
            call_command("metrics", "--listen", wrong)
