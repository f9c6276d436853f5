"""C06 and C09 through the operators' pages and the terminal: one name is one agent, and no agent is deleted."""

import csv
import io
import json
import unicodedata
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from battles.models import Agent
from battles.roster import retire_agent, variants_tried
from governance.exports import tables
from ratings.corpus import read_corpus
from ratings.models import Board
from ratings.refit import refit
from ratings.standings import standings_rows
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_agent
from tests.ratings.published import judged

pytestmark = pytest.mark.django_db

#: The names of the case. The roster refuses a name that is nothing but an everyday word, so that each has a number.
DECOMPOSED, COMPOSED, WIDE, CYRILLIC = "Age\u0301nt 7", "Ag\u00e9nt 7", "\uff21gent 7", "\u0410gent 7"
PLAIN = "Agent 7"
ROSTER = "/admin/battles/agent/act/roster/"


def by_form(client, key, name, *, confirmed=False):
    """What an operator reads who fills in the form; nothing where the agent joined."""
    values = {
        "key": key,
        "name": name,
        "provider": f"Provider {key}",
        "adapter": "reference-random",
        "model_version": f"{key}-20260901",
        "kind": "model",
        "reason": "It joins.",
    }
    answer = client.post(ROSTER, values | ({"looks_alike_confirmed": "on"} if confirmed else {}))
    return "" if answer.status_code == 302 else answer.content.decode()


def by_command(client, key, name, *, confirmed=False):
    """What the terminal says; nothing where the agent joined."""
    options = [f"--provider=Provider {key}", "--adapter=reference-random", f"--model-version={key}-20260901"]
    options += ["--looks-alike-confirmed"] if confirmed else []
    err = StringIO()
    try:
        call_command("roster", "add", key, f"--name={name}", *options, stdout=StringIO(), stderr=err)
    except SystemExit:
        return err.getvalue()
    return ""


@pytest.mark.parametrize("add", [by_form, by_command])
def test_c06_each_name_is_one_agent_and_look_alikes_wait_for_a_word(client, add):
    sign_in_operator(client)
    assert add(client, "one", DECOMPOSED) == ""
    assert "on the roster already" in add(client, "two", COMPOSED)
    assert "everyday word" in add(client, "three", "Agent")
    assert "looks like" in add(client, "three", PLAIN)
    assert add(client, "three", PLAIN, confirmed=True) == ""
    assert "on the roster already" in add(client, "four", f"{PLAIN} ", confirmed=True)
    for key, name in (("five", WIDE), ("six", CYRILLIC)):
        assert "looks like" in add(client, key, name)
        assert add(client, key, name, confirmed=True) == ""
    assert add(client, "seven", "   ") != ""
    stored = set(Agent.objects.values_list("name", flat=True))
    assert stored == {COMPOSED, PLAIN, WIDE, CYRILLIC}
    assert all(unicodedata.is_normalized("NFC", name) for name in stored)


def test_c06_names_leave_byte_for_byte_as_they_are_stored(client):
    agents = [
        make_agent(key, kind=Agent.Kind.BASELINE, name=name)
        for key, name in (("one", DECOMPOSED), ("two", WIDE), ("three", CYRILLIC), ("four", f"{PLAIN} "))
    ]
    for other in agents[1:]:
        judged((agents[0], other), "one")
        judged((other, agents[0]), other.key)
    publication = refit(board=Board.DEMO, actor="system:test").publication
    stored = {name.encode() for name in (COMPOSED, WIDE, CYRILLIC, PLAIN)}
    table = client.get(f"/publications/{publication.public_digest}.csv").content
    assert {row["agent_name"].encode() for row in csv.DictReader(io.StringIO(table.decode()))} == stored
    out = StringIO()
    call_command("roster", "list", "--json", stdout=out)
    assert {row["name"].encode() for row in json.loads(out.getvalue())} == stored
    # In snapshots names are columns of the roster, as they are.
    (roster,) = [found for found in tables() if found.name == "agents"]
    (column,) = [column for column in roster.columns if column.name == "name"]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column.sql} FROM battles_agent")
        assert {name.encode() for (name,) in cursor.fetchall()} == stored
    page = client.get("/standings").content
    assert all(name in page for name in stored)
    assert DECOMPOSED.encode() not in page


def test_c09_a_weak_entry_is_retired_with_its_past_and_counts_beside_the_others(client):
    weak, strong, other = (make_agent(key, kind=Agent.Kind.BASELINE) for key in ("weak", "strong", "other"))
    Agent.objects.filter(pk="other").update(provider="Others")
    for pair, choice in (((weak, other), "other"), ((strong, other), "strong"), ((weak, strong), "strong")):
        judged(pair, choice)
        judged(pair, next(agent.key for agent in pair if agent.key != choice))
    before = read_corpus(Board.DEMO)
    sign_in_operator(client)
    for path in ("/admin/battles/agent/", "/admin/battles/agent/weak/change/"):
        text = client.get(path).content.decode().lower()
        assert "delete" not in text
        assert "retire" in text
    for path in ("/admin/battles/agent/weak/delete/", "/admin/battles/agent/act/delete/"):
        assert client.post(path, {"ids": "weak", "post": "yes", "reason": "It is weak."}).status_code in {403, 404}
    client.post("/admin/battles/agent/", {"action": "delete_selected", "_selected_action": "weak", "post": "yes"})
    assert Agent.objects.filter(pk="weak").exists()
    cause = {"cause": Agent.Cause.PROVIDER_REQUEST, "reason": "Its provider asked for it.", "actor": "operator:1"}
    retired = retire_agent(key="weak", **cause)
    after = read_corpus(Board.DEMO)
    assert after.rated.sum() == before.rated.sum() == 6
    publication = refit(board=Board.DEMO, actor="system:test").publication
    rows = {row.agent_key: row for row in standings_rows(publication)}
    assert rows["weak"].retired_at == retired.retired_at
    assert variants_tried(strong.provider) == rows["strong"].provider_agents == 2
    standings, page = client.get("/standings").content.decode(), client.get("/standings/strong").content.decode()
    assert standings.count("one of 2 by its provider") == 2
    assert "retired, in the draw until" in standings
    assert "has entered 2 agents here" in page
