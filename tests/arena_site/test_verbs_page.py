"""The published vocabulary: the same for people and programs, and what models are given."""

import hashlib
import json

import pytest
from django.test import Client

from battles.agents.hosted.wording import tool_schemas
from battles.lanes.vendor_map import VENDORS
from battles.lanes.vocabulary import VERBS

pytestmark = pytest.mark.django_db

ADDRESS = "/api/dataset/action-map"


def test_the_map_has_every_verb_as_models_are_given_it(client: Client) -> None:
    published = client.get(ADDRESS).json()
    given = [{key: verb[key] for key in ("name", "summary", "arguments")} for verb in published["verbs"]]
    tools = [
        {"name": tool["name"], "summary": tool["description"], "arguments": tool["parameters"]}
        for tool in tool_schemas()
    ]
    assert given == tools
    assert [verb["name"] for verb in published["verbs"]] == list(VERBS)


def test_every_verb_relates_to_every_vendor_by_calls_or_a_reason(client: Client) -> None:
    for verb in client.get(ADDRESS).json()["verbs"]:
        assert set(verb["vendors"]) == set(VENDORS)
        for entry in verb["vendors"].values():
            assert entry["calls"] or entry["note"], verb["name"]


def test_the_map_names_itself_by_its_digest_and_is_not_sent_twice(client: Client) -> None:
    first = client.get(ADDRESS)
    assert first.headers["ETag"] == f'"{hashlib.sha256(first.content).hexdigest()}"'
    assert first.content == json.dumps(first.json(), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    again = client.get(ADDRESS, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert again.content == b""


def test_the_map_can_be_read_and_not_written(client: Client) -> None:
    assert client.head(ADDRESS).status_code == 200
    assert client.post(ADDRESS).status_code == 405


def test_the_page_names_every_verb_argument_and_vendor(client: Client) -> None:
    page = client.get("/methods/verbs").content.decode()
    for verb in VERBS.values():
        assert f'<div id="{verb.name}">' in page
        for argument in verb.arguments["properties"]:
            assert f"<code>{argument}</code>" in page
    for name in VENDORS.values():
        assert name in page
