"""A key goes into one header of requests to one address, and nowhere else, whatever a provider does with it."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import traceback
from typing import Any

import pytest

from battles.agents.base import ProviderFailure
from battles.agents.hosted.bodies import KEY_REPLACED, read_json
from battles.agents.hosted.settings import KeyMissing
from battles.agents.registry import make_agent
from tests.battles.agents.hosted.conftest import KEY, WIRES, row
from tests.battles.agents.hosted.local_provider import Answer
from tests.battles.agents.hosted.talk import Talk

CLICK = ("click", {"x": 10, "y": 20})


def everything_of(error: BaseException) -> str:
    """All that a log or a report could show of an exception: its chain, with the objects in its frames."""
    shown = "".join(traceback.format_exception(error))
    seen: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in seen:
        seen.append(link)
        shown += f"{link!r} {link.args!r} {vars(link)!r}"
        link = link.__cause__ or link.__context__
    return shown


def echoes(dialect: Any) -> list[Any]:
    """Answers in which the provider repeats the key: in its sentences, its words for the error, and its headers."""
    header = {"x-echo": KEY, "retry-after": KEY}
    phrased = [dialect.error(status, f"bad_{KEY}", f"Not with the key {KEY}!") for status in (400, 401, 403, 404, 418)]
    return [
        *(Answer(body, status, header) for body, status in phrased),
        Answer(f"<html>{KEY}</html>".encode(), 403, header, mime="text/html"),
        Answer({"error": f"key {KEY} is unknown"}, 401),
        Answer({"error": {"code": 403, "message": KEY, "type": KEY}}),
        Answer({}, 302, {"location": f"http://127.0.0.1:1/?key={KEY}"}),
    ]


def test_no_failure_shows_the_key(model, dialect, caplog):
    with caplog.at_level(logging.DEBUG):
        for answer in echoes(dialect):
            made = model(answer)
            with pytest.raises(ProviderFailure) as failure:
                made.step()
            assert KEY not in everything_of(failure.value)
    assert KEY not in caplog.text
    assert all(KEY not in repr(vars(record)) for record in caplog.records)


def test_no_failure_that_is_tried_again_shows_the_key(model, dialect, caplog):
    with caplog.at_level(logging.DEBUG):
        broken = [
            Answer(*dialect.error(500, f"bad_{KEY}", KEY)),
            Answer(f"<html>{KEY}".encode(), 200, {"x-echo": KEY}),
            Answer({"error": {"message": KEY, "code": KEY}}),
            Answer(KEY.encode(), 503, {"retry-after": KEY}),
            Answer(dialect.calls(CLICK), dropped=True),
            Answer(dialect.calls(CLICK), silence=60),
        ]
        for answer in broken:
            made = model(answer, silence=0.1)
            with pytest.raises(ProviderFailure) as failure:
                made.step()
            assert KEY not in everything_of(failure.value)
    assert KEY not in caplog.text


def test_a_key_in_a_reply_is_replaced_everywhere(model, dialect, caplog):
    text = ("type", {"text": f"it is {KEY}", KEY: [KEY]})
    for body in (
        dialect.calls(text, words=f"The key is {KEY}."),
        dialect.calls((KEY, {}), words=KEY),
        dialect.says(f"The key is {KEY}."),
        dialect.cut_off(KEY),
    ):
        made = model(body)
        with caplog.at_level(logging.DEBUG):
            decision = made.step()
            made.step()
        told = repr(decision) + repr(made.talk.history) + repr(made.agent._exchanges)
        assert KEY not in told
        assert KEY_REPLACED in told
        assert KEY not in json.dumps([request.body for request in made.provider.requests])
    assert KEY not in caplog.text


@pytest.mark.parametrize("dialect", ["openai", "openai-compatible"], indirect=True)
def test_a_key_that_is_spelled_in_escapes_is_replaced_too(model, dialect):
    spelled = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    made = model(dialect.calls(("type", f'{{"text": "{spelled}"}}')))
    assert made.step().actions[0].arguments == {"text": KEY_REPLACED}


def test_a_word_in_the_place_of_a_key_is_not_replaced():
    assert read_json('{"a": "it is EMPTY"}', key="EMPTY") == {"a": "it is EMPTY"}


def test_nothing_that_is_made_shows_the_key(model, dialect):
    made = model(dialect.calls(CLICK))
    check, _ = WIRES[dialect.adapter]
    wire = made.agent._wire
    for thing in (made.agent, wire, wire._connection, wire._settings, check(row(made.provider))):
        assert KEY not in repr(thing) + str(thing)


def test_the_key_is_in_one_header_and_in_nothing_else_that_is_sent(model, dialect):
    made = model(dialect.calls(CLICK))
    made.step()
    (request,) = made.provider.requests
    holding = [name for name, value in request.headers.items() if KEY in value]
    assert len(holding) == 1
    assert KEY not in request.path + json.dumps(request.body)


def test_a_key_that_is_missing_is_named_by_its_variable(dialect, provider_of, monkeypatch):
    provider = provider_of(dialect, dialect.calls(CLICK))
    monkeypatch.delenv(dialect.key_variable)
    with pytest.raises(KeyMissing, match=dialect.key_variable):
        make_agent(dialect.adapter, row(provider))


@pytest.mark.parametrize("value", [f"{KEY}\nx", f"{KEY} x", f"{KEY}é", f"{KEY}\x00".replace("\x00", "\x01")])
def test_a_value_that_no_header_can_carry_is_refused_without_showing_it(dialect, provider_of, monkeypatch, value):
    provider = provider_of(dialect, dialect.calls(CLICK))
    monkeypatch.setenv(dialect.key_variable, value)
    with pytest.raises(KeyMissing, match="characters that no key has") as refusal:
        make_agent(dialect.adapter, row(provider))
    assert KEY not in everything_of(refusal.value)


@pytest.mark.parametrize("dialect", ["openai-compatible"], indirect=True)
def test_without_a_key_variable_no_key_of_anybody_is_sent(dialect, provider_of, monkeypatch):
    provider = provider_of(dialect, dialect.calls(CLICK), key="")
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, KEY)
    made = make_agent(dialect.adapter, row(provider) | {"key_variable": ""})
    assert Talk(made).step().actions
    made.close()
    assert KEY not in repr(provider.requests)


@pytest.mark.parametrize("dialect", ["anthropic", "google", "openai"], indirect=True)
def test_the_environment_does_not_send_a_key_elsewhere(dialect, monkeypatch):
    """The libraries read addresses from the environment; a row without one means the provider's own."""
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/elsewhere")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv(dialect.key_variable, KEY)
    agent = make_agent(dialect.adapter, {"model_version": "model-1"})
    client = agent._wire._client
    options = getattr(client, "_api_client", None)
    address = str(options._http_options.base_url if options else client.base_url)
    agent.close()
    hosts = {
        "anthropic": "api.anthropic.com",
        "openai": "api.openai.com",
        "google": "generativelanguage.googleapis.com",
    }
    assert address.startswith(f"https://{hosts[dialect.adapter]}")


def test_switching_the_libraries_debug_logs_on_shows_no_key(dialect, provider_of):
    """In a process of its own, since the libraries look at the switch when they are loaded."""
    provider = provider_of(dialect, Answer(*dialect.error(401, f"bad_{KEY}", KEY), {"x-echo": KEY}))
    script = (
        "import json, logging, sys; logging.basicConfig(level=logging.DEBUG)\n"
        "from battles.agents.registry import make_agent\n"
        "from tests.battles.agents.hosted.talk import Talk\n"
        "adapter, row = json.loads(sys.argv[1])\n"
        "Talk(make_agent(adapter, row)).step()\n"
    )
    environment = {**os.environ, "ANTHROPIC_LOG": "debug", "OPENAI_LOG": "debug", dialect.key_variable: KEY}
    told = subprocess.run(
        [sys.executable, "-c", script, json.dumps([dialect.adapter, row(provider)])],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
    )
    assert "does not accept the key" in told.stderr
    assert KEY not in told.stdout + told.stderr
