"""Agents and what they can do, for programs."""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import json
from collections import Counter
from typing import Any

from django.http import HttpRequest

from battles.lanes.vocabulary import action_map
from battles.models import Agent
from battles.roster import NoSuchAgent, same_provider
from governance.json_shapes import KEY, Shape, instant, listed, maybe, named, record, ref, text, whole, yes_no
from governance.public_reading import CSV, JSON, Answer, PublicRead
from governance.spreadsheet_cells import text_cell

#: The map changes with the code only; a day is short enough to notice a new version.
FOR_A_DAY = "public, max-age=86400"

VERB: Shape = record(
    "A verb, with its arguments as a JSON Schema, and how the providers' own vocabularies say it.",
    name=text(),
    summary=text(),
    arguments={"type": "object", "description": "JSON Schema of the arguments.", "additionalProperties": True},
    kind=maybe(text("Its kind in the mix of actions; null for verbs that end the lane.")),
    terminal=yes_no("Whether it ends the lane."),
    takes_target=yes_no("Whether it takes a point or a reference."),
    vendors=named(record(calls=listed({}), note=text()), "By the key of a vendor."),
)
ACTION_MAP: Shape = record(
    "Everything an agent can do.",
    viewport=record(width=whole(), height=whole(), device_scale=whole()),
    wheel_notch=whole("Pixels of one notch of the wheel."),
    free_observes=whole("How often in a row looking costs nothing."),
    kinds=listed(text()),
    vendors=listed(record(key=text(), name=text())),
    verbs=listed(ref("Verb")),
    key_aliases=named(text()),
    upload_files=listed(record(name=text(), mime=text(), bytes=whole())),
)
AGENT: Shape = record(
    "An agent of the roster: a pinned version behind an adapter.",
    key=text(pattern=KEY),
    name=text(),
    provider=text(),
    model_version=text("The pinned version; a changed one is another agent."),
    adapter=text("What drives it."),
    kind=text(options=Agent.Kind.values),
    state=text("retired from the day of the notice on.", options=Agent.State.values),
    retired_at=maybe(instant("From then on it is drawn no more.")),
    retirement_cause=text(options=("", *Agent.Cause.values)),
    retirement_reason=text(),
    affiliated_from=maybe(instant("From then on the operator has a stake in it: not drawn, not ranked.")),
    provider_agents=whole("How many agents its provider has ever had here, those that left included."),
)
AGENT_COLUMNS = tuple(AGENT["properties"])
COMPONENTS = {"Agent": AGENT}


@functools.cache
def action_map_document() -> bytes:
    """The action map as canonical JSON: sorted keys, no spaces, UTF-8."""
    return json.dumps(action_map(), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


@functools.cache
def action_map_digest() -> str:
    """SHA-256 of the document, which is also its ETag."""
    return hashlib.sha256(action_map_document()).hexdigest()


class ActionMap(PublicRead):
    """Every verb with its JSON Schema, kind and vendor mapping; key aliases; the files that `upload` can give."""

    label = "action_map"
    heading = "Dataset"
    components = {"Verb": VERB}
    shape = ACTION_MAP

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        return Answer(action_map_document(), tag=action_map_digest(), caching=FOR_A_DAY)


class Agents(PublicRead):
    """The roster: every agent that is or was entered, with its pinned version, and why it left."""

    label = "agents"
    heading = "Agents"
    kinds = (JSON, CSV)
    components = COMPONENTS
    shape = record(agents=listed(ref("Agent"), "By key."))
    table = f"A row for each agent: {', '.join(AGENT_COLUMNS)}."

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        agents = _described()
        if self.kind == CSV:
            return Answer(_table(agents), file="agents.csv")
        return Answer(json.dumps({"agents": agents}, ensure_ascii=False, sort_keys=True))


class OneAgent(PublicRead):
    """One agent of the roster."""

    label = "agent"
    heading = "Agents"
    components = COMPONENTS
    places = {"key": ({"type": "string", "pattern": KEY}, "Of the agent.")}
    shape = ref("Agent")
    refusals = {404: ("no_such_agent",)}

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        key = path["key"]
        for agent in _described():
            if agent["key"] == key:
                return Answer(json.dumps(agent, ensure_ascii=False, sort_keys=True))
        raise NoSuchAgent(key[:80])


def _described() -> list[dict[str, Any]]:
    """Everybody on the roster, as plain JSON values; one question to the database, however many there are."""
    agents = list(Agent.objects.order_by("key"))
    tried = Counter(
        same_provider(agent.provider)
        for agent in agents
        if agent.affiliated_from is None or agent.affiliated_from > agent.created_at
    )
    return [
        {
            "key": agent.key,
            "name": agent.name,
            "provider": agent.provider,
            "model_version": agent.model_version,
            "adapter": agent.adapter,
            "kind": agent.kind,
            "state": agent.state,
            "retired_at": _instant(agent.retired_at),
            "retirement_cause": agent.retirement_cause,
            "retirement_reason": agent.retirement_reason,
            "affiliated_from": _instant(agent.affiliated_from),
            "provider_agents": tried[same_provider(agent.provider)],
        }
        for agent in agents
    ]


def _instant(moment: Any) -> str | None:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def _table(agents: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(AGENT_COLUMNS)
    for agent in agents:
        writer.writerow(["" if (value := agent[name]) is None else text_cell(str(value)) for name in AGENT_COLUMNS])
    return text.getvalue()
