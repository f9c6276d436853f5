"""docs/api.md: its examples run against a living server, and its table has every code that there is."""

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from arena_site.accounts.limits import API_WRITES
from arena_site.accounts.models import ApiToken, Attempt
from arena_site.environment import CHECKOUT
from arena_site.rest import limits
from arena_site.rest.schema_document import schema_document
from arena_site.seed import seed
from battles.models import Battle
from judging.models import Vote
from tests.arena_site.rest.published import publish_board
from tests.arena_site.rest.scripts import make_owner, script_of, token_of
from tests.battles.factories import make_agent, make_votable

PAGE = CHECKOUT / "docs" / "api.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^\| (\d{3}) \| (.+) \|$", re.MULTILINE)
WRITTEN_FOR = "http://127.0.0.1:8000"
#: Stands for whatever else there is: as a key for further keys, whose values are like its own.
ELLIPSIS = "…"
#: What is the same in every answer, so that the example has the very value.
CONSTANT = frozenset({"code", "detail", "needed", "title", "type"})


def unlike(told, found, place="$"):
    """Where an answer has another shape than the example, or another constant; null stands for any."""
    if told is None or found is None:
        return []
    if isinstance(told, dict) and isinstance(found, dict):
        named = set(told) - {ELLIPSIS}
        wrong = [f"{place}.{key} is missing" for key in sorted(named - set(found))]
        if ELLIPSIS not in told:
            wrong += [f"{place}.{key} is not in the example" for key in sorted(set(found) - named)]
        elif isinstance(told[ELLIPSIS], dict):
            told = {**dict.fromkeys(set(found) - named, told[ELLIPSIS]), **told}
        return wrong + [
            one for key in sorted(set(told) & set(found)) for one in unlike(told[key], found[key], f"{place}.{key}")
        ]
    if isinstance(told, list) and isinstance(found, list):
        like = told[0] if told else None
        return [one for number, each in enumerate(found) for one in unlike(like, each, f"{place}[{number}]")]
    if place.rpartition(".")[2] in CONSTANT and told != ELLIPSIS:
        return [] if told == found else [f"{place} is {found!r}, in the example {told!r}"]
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in (told, found)]
    return [] if all(numbers) or type(told) is type(found) else [f"{place} is {found!r}, in the example {told!r}"]


def run(kind, code, token):
    """What a block prints; it must succeed."""
    command = ["bash", "-euo", "pipefail", "-c", code] if kind == "bash" else [sys.executable, "-c", code]
    environment = os.environ | {"RINGSIDE_TOKEN": token}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"{code}\n{done.stderr}"
    return done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples use curl")
@pytest.mark.django_db(transaction=True)
def test_every_example_runs_and_answers_as_the_page_says(live_server, broker):
    publish_board()
    make_votable(kind=Battle.Kind.PRACTICE, agents=(make_agent("one-practises"), make_agent("other-practises")))
    before = list(Vote.objects.values_list("pk", flat=True))
    token = token_of(make_owner(consented=False))
    blocks = FENCE.findall(PAGE.read_text())
    ran, printed = 0, ""
    for kind, text in blocks:
        if kind in {"bash", "python"}:
            printed = run(kind, text.replace(WRITTEN_FOR, live_server.url), token)
            assert printed.strip(), text
            ran += 1
        elif kind == "json":
            assert unlike(json.loads(text), json.loads(printed)) == [], text
        elif kind == "http":
            continue
        else:
            assert kind == "csv"
            assert printed.splitlines()[0] == text.strip()
    assert ran >= 9
    vote = Vote.objects.exclude(pk__in=before).get()
    assert vote.choice == Vote.Choice.TIE
    assert vote.locked_at is not None
    posted = Battle.objects.get(task__judge=vote.judge)
    assert posted.state == Battle.State.QUEUED, "posted twice under one key it is one"


@pytest.mark.django_db
def test_a_refusal_for_asking_too_often_is_as_the_page_shows_it(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    script = script_of(make_owner())
    key = limits._named(f"token {ApiToken.objects.get().pk}").tags[0]
    sent = timezone.now() - API_WRITES.window + timedelta(seconds=1741, milliseconds=500)
    Attempt.objects.bulk_create([Attempt(kind=API_WRITES.kind, key=key, at=sent) for _ in range(API_WRITES.most)])
    answer = script.post("/api/battles", {})
    [shown] = [text for kind, text in FENCE.findall(PAGE.read_text()) if kind == "http"]
    head, _, body = shown.partition("\n\n")
    first, *fields = head.splitlines()
    assert first == f"HTTP/1.1 {answer.status_code} {answer.reason_phrase}"
    assert {field.split(": ")[0]: field.split(": ")[1] for field in fields}.items() <= dict(answer.items()).items()
    assert json.loads(body) == answer.json()
    assert f"The {API_WRITES.most + 1}st request" in PAGE.read_text()


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples use curl")
@pytest.mark.django_db(transaction=True)
def test_every_example_says_something_on_a_site_that_was_just_set_up(live_server, broker):
    seed()
    token = token_of(make_owner(consented=False))
    said = {}
    for kind, text in FENCE.findall(PAGE.read_text()):
        if kind in {"bash", "python"}:
            said[text] = run(kind, text.replace(WRITTEN_FOR, live_server.url), token)
            assert said[text].strip(), text
    gap = next(printed for text, printed in said.items() if "gaps" in text)
    assert json.loads(gap)["code"] == "nothing_published"
    assert sum(printed.startswith("nothing is published yet") for printed in said.values()) == 2


@pytest.mark.django_db
def test_the_agents_that_the_page_asks_for_are_on_every_new_site(client):
    seed()
    known = {agent["key"] for agent in client.get("/api/agents").json()["agents"]}
    asked = set(re.findall(r"[?&](?:a|b|agent)=([-\w]+)", PAGE.read_text()))
    assert asked
    assert asked <= known


def test_an_example_of_another_shape_is_found_out():
    told = {"a": {"b": 1, "…": "further"}, "c": [{"d": "x"}]}
    assert unlike(told, {"a": {"b": 2.5, "e": None}, "c": [{"d": "y"}, {"d": None}]}) == []
    assert unlike(told, {"a": {}, "c": []}) == ["$.a.b is missing"]
    assert unlike(told, {"a": {"b": 1}, "c": [], "f": 1}) == ["$.f is not in the example"]
    assert unlike(told, {"a": {"b": "1"}, "c": [{"d": 1}]}) == [
        "$.a.b is '1', in the example 1",
        "$.c[0].d is 1, in the example 'x'",
    ]
    assert unlike({"…": {"g": 1}}, {"h": {}}) == ["$.h.g is missing"]


def test_an_example_with_another_constant_is_found_out():
    told = {"done": 0, "needed": 10, "calls": [{"code": "invalid"}]}
    assert unlike(told, {"done": 3, "needed": 10, "calls": [{"code": "invalid"}]}) == []
    assert unlike(told, {"done": 0, "needed": 20, "calls": [{"code": "void"}]}) == [
        "$.calls[0].code is 'void', in the example 'invalid'",
        "$.needed is 20, in the example 10",
    ]


def test_the_page_names_every_code_and_no_other():
    told = {int(status): set(re.findall(r"`(\w+)`", codes)) for status, codes in TABLE.findall(PAGE.read_text())}
    found = {}
    for item in schema_document()["paths"].values():
        for operation in item.values():
            for status, response in operation["responses"].items():
                problem = response.get("content", {}).get("application/problem+json")
                if problem:
                    found.setdefault(int(status), set()).update(problem["schema"]["properties"]["code"]["enum"])
    # What no operation of the schema answers with: other methods than its own.
    assert told.pop(405) == {"only_read", "method_not_allowed"}
    assert told == found


def test_the_page_names_every_address():
    text = PAGE.read_text()
    for path in schema_document()["paths"]:
        first = "/".join(path.split("/")[:3])
        assert first in text, path
