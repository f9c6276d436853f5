"""The reference for people: every operation and every shape of the schema is on it, under the strict policy."""

import re

import pytest

from arena_site.rest.schema_document import schema_document

pytestmark = pytest.mark.django_db


def test_every_operation_parameter_field_and_code_is_on_the_page(client):
    page = client.get("/api/docs").content.decode()
    named = set(re.findall(r"<code>([^<]+)</code>", page))
    for path, item in schema_document()["paths"].items():
        assert path in named
        for operation in item.values():
            assert f'id="{operation["operationId"]}"' in page
            assert {parameter["name"] for parameter in operation.get("parameters", [])} <= named
            for response in operation["responses"].values():
                problem = response.get("content", {}).get("application/problem+json")
                assert problem is None or set(problem["schema"]["properties"]["code"]["enum"]) <= named
                assert set(response["headers"]) <= named
    for name, shape in schema_document()["components"]["schemas"].items():
        assert f'id="shape-{name}"' in page
        assert set(shape.get("properties", {})) <= named


def test_every_link_on_it_leads_somewhere_on_it_and_it_has_no_script_or_style_of_its_own(client):
    answer = client.get("/api/docs")
    page = answer.content.decode()
    places = re.findall(r' id="([^"]+)"', page)
    assert len(places) == len(set(places))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(places)
    assert not re.search(r"<script(?![^>]*src=)|<style|style=\"|(?:src|href)=\"https?:", page)
    assert "script-src 'self'" in answer["Content-Security-Policy"]


def test_every_page_leads_to_it(client):
    assert 'href="/api/docs"' in client.get("/methods").content.decode()


def test_who_has_it_gets_304_and_others_do_not_share_it(client):
    answer = client.get("/api/docs")
    assert answer["Cache-Control"] == "private, no-cache"
    assert "Cookie" in answer["Vary"]
    assert client.get("/api/docs", headers={"If-None-Match": answer["ETag"]}).status_code == 304
