"""The schema: valid, of every address and of nothing else, and the same for everybody."""

import json
import re

import schemathesis
import yaml
from django.urls import URLPattern, get_resolver

from arena_site.rest.schema_document import schema_document, schema_text
from governance.public_reading import JSON, PublicRead
from judging.site_visits import site_addresses

#: A part of a route, as Django writes it.
PART = re.compile(r"<(?:\w+:)?(\w+)>")


def api_routes():
    """Addresses of the API as the schema writes them, with their views."""
    return {as_written(f"/{each.route}") for each in site_addresses() if each.route.startswith("api/")}


def as_written(route):
    """A route as the schema writes it."""
    return PART.sub(r"{\1}", route)


def views():
    """Views of the API by path."""
    prefix = next(entry for entry in get_resolver().url_patterns if str(entry.pattern) == "api/")
    return {
        as_written(f"/api/{entry.pattern}"): entry.callback.view_class
        for entry in prefix.url_patterns
        if isinstance(entry, URLPattern)
    }


def operations():
    for path, item in schema_document()["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def test_it_is_a_valid_openapi_3_1_document():
    document = schema_document()
    assert document["openapi"].startswith("3.1.")
    schemathesis.openapi.from_dict(document).validate()


def test_every_address_of_the_api_is_in_it_and_nothing_else():
    assert set(schema_document()["paths"]) == api_routes()


def test_every_method_of_every_view_is_in_it_and_no_other():
    for path, view in views().items():
        methods = {name for name in ("get", "post", "put", "patch", "delete") if hasattr(view, name)}
        assert methods == set(schema_document()["paths"][path]), path


def test_every_operation_has_a_name_of_its_own_words_and_refusals_in_one_form():
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(names) == len(set(names))
    for path, method, operation in operations():
        assert operation["summary"].endswith("."), (path, method)
        assert operation["tags"], path
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                assert "application/problem+json" in response["content"], (path, method, status)


def test_every_refusal_names_its_codes():
    for path, method, operation in operations():
        for status, response in operation["responses"].items():
            shape = response.get("content", {}).get("application/problem+json", {}).get("schema")
            if shape is not None:
                codes = shape["properties"]["code"]["enum"]
                assert codes, (path, method, status)
                assert len(codes) == len(set(codes)), (path, method, status, codes)


def test_every_public_document_has_a_shape():
    for path, view in views().items():
        if issubclass(view, PublicRead) and JSON in view.kinds:
            assert view.shape, path


def test_it_refers_to_nothing_that_is_not_there_and_holds_nothing_unused():
    text = schema_text(JSON)
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert named == set(schema_document()["components"]["schemas"])


def test_yaml_is_the_same_document():
    assert yaml.safe_load(schema_text("application/yaml")) == json.loads(schema_text(JSON))


def test_it_names_no_count():
    """A field that counts labels, battles, judges or votes would be a sample size, wherever it is."""
    counting = re.compile(r"\b(labels|battles|judges|votes)(_(cast|seen|effective|withdrawn|count))?$|count$|^total")
    #: What a question takes of anybody's votes, which the arena's own do not enter.
    told = {"total"}

    def names(shape):
        if isinstance(shape, dict):
            for name, inner in shape.get("properties", {}).items():
                kinds = inner.get("type", ()) if isinstance(inner, dict) else ()
                if "integer" in kinds or "number" in kinds:
                    yield name
            for inner in shape.values():
                yield from names(inner)
        elif isinstance(shape, list):
            for inner in shape:
                yield from names(inner)

    public = [view for view in views().values() if issubclass(view, PublicRead)]
    shapes = [shape for view in public for shape in (view.shape, *view.components.values())]
    assert {name for shape in shapes for name in names(shape) if counting.search(name)} == told
