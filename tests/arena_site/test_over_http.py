"""What only the real server shows: what it makes of a head and of a body, and what it says of itself.

Nothing here asks the database for anything.
"""

import http.client
import socket
import subprocess
import sys

import pytest

from arena_site.environment import CHECKOUT
from arena_site.supervisor import web_program
from tests.arena_site.production_processes import free_port
from tests.arena_site.services.conftest import wait_until

START_SECONDS = 240
BATTLE = "/api/battles/01994c1e-7c1d-7a52-b9a8-5b1f0c2d3e4f"


def ask(port, method, path, body=None, **headers):
    """Status, headers and text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def post_in_pieces(port, path, *lengths):
    """The answer to a JSON body in two pieces, sent with its head in one: whoever is refused may be hung up on."""
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Connection: close"]
    head += ["Transfer-Encoding: chunked", *lengths]
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall("\r\n".join([*head, "", "b", '{"nonsense"', "3", ":1}", "0", "", ""]).encode())
        answer = http.client.HTTPResponse(line)
        answer.begin()
        return answer.status, answer.headers, answer.read().decode()


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Of a site that is served as the supervisor serves it."""
    port = free_port()
    log = tmp_path_factory.mktemp("web") / "web.log"
    words = [sys.executable, *web_program(port).words]
    with log.open("wb") as file:
        process = subprocess.Popen(words, cwd=CHECKOUT, stdout=file, stderr=subprocess.STDOUT)

    def answers():
        assert process.poll() is None, log.read_text(errors="replace")
        try:
            return ask(port, "GET", "/live")[0] == http.client.OK
        except OSError:
            return False

    try:
        wait_until(answers, START_SECONDS)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.mark.parametrize("path", [f"{BATTLE}/offer", f"{BATTLE}/lock", "/api/withdrawals"])
def test_a_body_in_pieces_is_refused_and_not_passed_over(port, path):
    status, head, body = post_in_pieces(port, path)
    assert (status, head["Content-Type"]) == (411, "application/problem+json")
    assert '"length_required"' in body
    assert "Access-Control-Allow-Origin" not in head


def test_a_length_beside_pieces_makes_no_difference(port):
    status, _, _ = post_in_pieces(port, f"{BATTLE}/offer", "Content-Length: 2")
    # Refused by us, or by the server itself.
    assert status in {411, 400}


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain; a*=nonsense''%41",
        "text/plain; a*=utf-8''%ff",
        ";",
        "a*=x''y",
        "\xff",
        "text/plain; charset=base64",
        "text/plain; charset=idna",
    ],
)
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/live?a=%C3%BC", 200), ("GET", "/api/judge/none?a=b", 404), ("POST", "/api/judge/none", 404)],
)
def test_a_type_of_the_body_that_nobody_can_read_is_none(port, kind, method, path, status):
    assert ask(port, method, path, **{"Content-Type": kind})[0] == status


@pytest.mark.parametrize("path", ["/live", "/api/health", "/api/judge/none"])
def test_an_answer_names_the_site_and_not_the_server(port, path):
    _, head, _ = ask(port, "GET", path)
    assert head.get_all("Server") == ["Ringside"]


@pytest.mark.parametrize("shown", ["Bearer \xff", "Bearer ringside_\u00e4", "\xff", ""])
def test_what_is_no_ascii_is_no_token_and_not_nobody(port, shown):
    status, head, body = ask(port, "GET", "/api/judge/calibration", Authorization=shown)
    assert (status, head["Content-Type"]) == (401, "application/problem+json")
    assert '"invalid_token"' in body
