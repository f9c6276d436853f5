"""Things are added to the API, and nothing that was promised is taken away."""

import copy

import pytest

from arena_site.rest.promises import KEPT, broken, promises
from arena_site.rest.schema_document import schema_document

RATINGS = "/api/ratings"


@pytest.fixture
def changed():
    return copy.deepcopy(schema_document())


def since(document):
    return broken(promises(schema_document()), promises(document))


def test_everything_that_was_promised_is_there():
    assert broken(KEPT.read_text().splitlines(), promises(schema_document())) == []


def test_nothing_is_broken_by_an_addition(changed):
    changed["paths"]["/api/further"] = changed["paths"][RATINGS]
    changed["components"]["schemas"]["Standing"]["properties"]["further"] = {"type": "string"}
    assert since(changed) == []


def test_an_address_that_goes_is_a_broken_promise(changed):
    del changed["paths"][RATINGS]
    assert f"GET {RATINGS}" in since(changed)


def test_a_field_that_goes_or_becomes_something_else_is_one(changed):
    fields = changed["components"]["schemas"]["PublicationMark"]["properties"]
    del fields["digest"]
    fields["board"] = {"type": "integer"}
    assert since(changed) == [
        "PublicationMark: .board string",
        "PublicationMark: .digest is there",
        "PublicationMark: .digest string",
    ]


def test_a_part_of_a_body_that_must_be_sent_since_is_one_and_one_that_need_not_is_none(changed):
    body = changed["components"]["schemas"]["TaskBody"]
    body["required"] = ["category"]
    assert since(changed) == ["TaskBody: .category is needed"]


def test_a_parameter_that_must_be_given_since_is_one(changed):
    parameter = changed["paths"][RATINGS]["get"]["parameters"][0]
    parameter["required"] = True
    assert since(changed) == [f"GET {RATINGS} needs query {parameter['name']}"]
    parameter.update(required=False, schema={"type": "string", "enum": parameter["schema"]["enum"][1:]})
    assert since(changed) == [f"GET {RATINGS} takes query variant = headline"]
