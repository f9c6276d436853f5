"""Bodies under the status of success that are no reply, or an odd one: never an exception, whatever they are."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from battles.agents.base import Decision, ProviderFailure
from battles.agents.hosted import bodies, connection
from tests.battles.agents.hosted.local_provider import Answer

CLICK = ("click", {"x": 10, "y": 20})

NO_REPLIES = [
    b"",
    b"null",
    b"[]",
    b"[1, 2]",
    b'"text"',
    b"17",
    b"{}",
    b'{"content": null, "output": null, "choices": null, "candidates": null}',
    b'{"content": {}, "output": {}, "choices": {}, "candidates": {}}',
    b'{"content": "x", "output": "x", "choices": "x", "candidates": "x"}',
    b'{"choices": [], "candidates": [], "content": 0, "output": 0}',
    b'{"error": "overloaded"}',
    b'{"error": {"message": "overloaded", "code": 529}}',
    b'{"error": {"code": true}}',
    b"{",
    b"\xff\xfe\x00",
    b"<html><body>502 Bad Gateway</body></html>",
    b"[" * 100_000,
    b'{"a":' * 20_000,
    b'{"content": NaN, "choices": NaN}',
    b"9" * 10_000,
    b"data: {}\n\ndata: [DONE]\n\n",
]


@pytest.mark.parametrize("body", NO_REPLIES, ids=range(len(NO_REPLIES)))
def test_a_body_without_a_reply_is_the_provider_s_trouble(model, dialect, body):
    made = model(Answer(body, mime="text/html" if body.startswith(b"<") else "application/json"), dialect.calls(CLICK))
    assert made.step().actions
    assert len(made.provider.requests) == 2
    assert made.agent.provider_seconds > 0


@pytest.mark.parametrize("body", [b"<html>Forbidden</html>", b"", b'"x"', b'{"error": [1]}', b"[" * 100_000, b"\xff"])
def test_an_error_s_body_may_be_anything(model, dialect, body):
    made = model(Answer(body, 403, mime="text/html"))
    with pytest.raises(ProviderFailure, match="403"):
        made.step()
    made = model(Answer(body, 500, mime="text/html"), dialect.calls(CLICK))
    assert made.step().actions


def test_a_body_without_an_end_is_given_up(model, dialect, monkeypatch):
    monkeypatch.setattr(connection, "LONGEST_BODY", 100_000)
    made = model(Answer(json.dumps(dialect.says("x" * 200_000)).encode()), dialect.calls(CLICK))
    assert made.step().actions
    assert len(made.provider.requests) == 2


def test_a_body_that_is_one_with_an_error_s_status_inside_keeps_that_meaning(model, dialect):
    made = model(Answer({"error": {"message": "no", "code": 403}}))
    with pytest.raises(ProviderFailure, match="403"):
        made.step()


VALUES: list[Any] = [None, 0, -1, 2.5, True, "", "odd", [], [None], ["odd"], {}, {"odd": 1}, [[]], "\ud800", "\x00"]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [path]
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in inside:
        found += places(inner, (*path, name))
    return found


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    changed = copy.deepcopy(value)
    if not path:
        return by
    spot = changed
    for name in path[:-1]:
        spot = spot[name]
    spot[path[-1]] = by
    return changed


def test_whatever_stands_anywhere_in_a_body_it_is_a_decision(model, dialect):
    """Each place of a reply is filled with something else; the agent goes on and its transcript stays well-formed."""
    whole = dialect.with_hidden(dialect.calls(CLICK, ("observe", {}), words="Hm.", usage=dialect.usages[1][0]))
    chance = random.Random(1)
    odd = [replaced(whole, path, by) for path in places(whole) for by in chance.sample(VALUES, 2)]
    bodies_sent = iter(odd)
    made = model(lambda request: next(bodies_sent, None) or whole)
    decisions, given_up = 0, []
    while len(made.provider.requests) < len(odd):
        made.agent._exchanges[:-3] = []
        try:
            decision = made.step()
        except ProviderFailure as failure:
            given_up.append(str(failure))
            continue
        assert isinstance(decision, Decision)
        decisions += 1
    assert decisions > len(odd) / 2
    assert all("Tried" in words for words in given_up)


def test_a_reply_nested_deeper_than_any_of_ours_is_unreadable():
    deep: Any = "x"
    for _ in range(bodies.DEEPEST + 1):
        deep = [deep]
    with pytest.raises(bodies.Unreadable):
        bodies.read_json(json.dumps(deep), key="")
    assert bodies.read_json(json.dumps(deep[0]), key="") == deep[0]
