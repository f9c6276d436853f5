"""Bodies that mean one thing only, fields of exactly their type, and refusals in one form."""

import io
import json

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import exceptions, serializers
from rest_framework.views import APIView

from arena_site.rest.bodies import (
    Body,
    IdentifierField,
    NumberField,
    OneOfField,
    TextField,
    WholeNumberField,
    YesNoField,
)
from arena_site.rest.json_bodies import MOST_BYTES, MOST_LEVELS, BodyRefused, BodyTooLarge, StrictJSONParser, value_of
from arena_site.rest.problems import told
from governance.errors import ArenaError, TooMany
from governance.public_reading import NotAcceptable

WORDS = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth, inner), default=0)


@given(VALUES.filter(lambda value: depth(value) <= MOST_LEVELS))
def test_json_is_read_as_it_is(value):
    assert value_of(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"a": 1, "a": 2}', "name_twice"),
        (b'[{"x": {"a": 1, "a": 1}}]', "name_twice"),
        (b'{"a": NaN}', "number_refused"),
        (b"[Infinity]", "number_refused"),
        (b"[-Infinity]", "number_refused"),
        (b"[1e999]", "number_refused"),
        (b"[" + b"9" * 5000 + b"]", "number_refused"),
        (b'{"a": "\xff"}', "not_utf8"),
        ('{"a": 1}'.encode("utf-16"), "not_utf8"),
        (b"\xef\xbb\xbf{}", "not_json"),
        (b"", "not_json"),
        (b"{'a': 1}", "not_json"),
        (b'{"a": 1,}', "not_json"),
        (b'{"a": 1} {}', "not_json"),
        (b'{"a": "\n"}', "not_json"),
        (rb'{"a": "\ud800"}', "not_unicode"),
        (rb'{"\udfff": 1}', "not_unicode"),
        (b"[" * 100 + b"]" * 100, "too_deep"),
        (b"[" * 30_000 + b"]" * 30_000, "too_deep"),
    ],
)
def test_what_readers_would_understand_differently_is_refused(raw, code):
    with pytest.raises(BodyRefused) as refusal:
        value_of(raw)
    assert refusal.value.code == code


def test_as_deep_as_allowed_is_read_and_no_deeper():
    assert value_of(b"[" * MOST_LEVELS + b"1" + b"]" * MOST_LEVELS)
    with pytest.raises(BodyRefused):
        value_of(b"[" * (MOST_LEVELS + 1) + b"1" + b"]" * (MOST_LEVELS + 1))


def test_no_more_is_read_than_a_request_needs():
    class Endless(io.RawIOBase):
        asked = 0

        def read(self, size=-1):
            self.asked += size
            return b" " * size

    stream = Endless()
    with pytest.raises(BodyTooLarge):
        StrictJSONParser().parse(stream)
    assert stream.asked == MOST_BYTES + 1


class Sample(Body):
    text = TextField(required=False)
    whole = WholeNumberField(required=False)
    number = NumberField(required=False)
    truth = YesNoField(required=False)
    word = OneOfField(["one", "two"], required=False)
    name = IdentifierField(required=False)


@pytest.mark.parametrize(
    ("field", "right", "wrong"),
    [
        ("text", ["a", "ü", " a "], [1, True, None, [], {}, "\x00"]),
        ("whole", [0, -3, 4.0], ["4", True, None, 1.5, [], {}]),
        ("number", [0, 1.5, -2], ["1.5", True, None, [], 10**400]),
        ("truth", [True, False], ["true", 1, 0, None, "yes", []]),
        ("word", ["one"], ["three", " one", "one\n", "One", 1, None, ["one"], {}]),
        (
            "name",
            ["01994c1e-7c1d-7a52-b9a8-5b1f0c2d3e4f", "01994C1E-7C1D-7A52-B9A8-5B1F0C2D3E4F"],
            [
                "01994c1e7c1d7a52b9a85b1f0c2d3e4f",
                "urn:01994c1e7c1d7a52b9a85b1f0c2d3e4f",
                "01994c1e-7c1d-7a52-b9a85b1f-0c2d3e4f",
                " 01994c1e-7c1d-7a52-b9a8-5b1f0c2d3e4f",
                1,
                None,
                [],
                "",
            ],
        ),
    ],
)
def test_a_field_takes_its_own_type_alone(field, right, wrong):
    for value in right:
        assert Sample(data={field: value}).is_valid(), value
    for value in wrong:
        assert not Sample(data={field: value}).is_valid(), value


@pytest.mark.parametrize("data", [[], "text", 1, None, True])
def test_a_body_is_an_object(data):
    assert not Sample(data=data).is_valid()
    with pytest.raises(serializers.ValidationError) as refused:
        Sample(data=data).is_valid(raise_exception=True)
    body, _ = problem_of(refused.value)
    assert (body["code"], [one["field"] for one in body["errors"]]) == ("invalid", ["body"])
    assert "object" in body["errors"][0]["detail"]


def test_a_text_is_what_was_sent():
    sample = Sample(data={"text": " a\n"})
    assert sample.is_valid()
    assert sample.validated_data["text"] == " a\n"


def problem_of(exception, view=None):
    answer = told(exception, {"view": view})
    assert answer["Content-Type"] == "application/problem+json"
    body = json.loads(answer.content)
    assert set(body) >= {"type", "title", "status", "code", "detail"}
    assert body["status"] == answer.status_code
    return body, answer


def test_every_part_that_is_wrong_is_told_at_once():
    sample = Sample(data={"truth": "yes", "wholes": 1})
    with pytest.raises(serializers.ValidationError) as refused:
        sample.is_valid(raise_exception=True)
    body, _ = problem_of(refused.value)
    assert (body["status"], body["code"]) == (400, "invalid")
    assert [(one["field"], one["code"]) for one in body["errors"]] == [("wholes", "unknown_field")]
    with pytest.raises(serializers.ValidationError) as refused:
        Sample(data={"truth": "yes", "text": 1}).is_valid(raise_exception=True)
    body, _ = problem_of(refused.value)
    assert {one["field"] for one in body["errors"]} == {"truth", "text"}
    assert all(set(one) == {"field", "code", "detail"} for one in body["errors"])


def test_what_the_framework_and_django_refuse_has_the_same_form():
    class Anything(APIView):
        def get(self, request):
            """Read."""

    view = Anything()
    for exception, status, code in (
        (exceptions.UnsupportedMediaType("text/plain"), 415, "unsupported_media_type"),
        (NotAcceptable(["image/webp"]), 406, "not_acceptable"),
        (exceptions.NotAuthenticated(), 401, "not_authenticated"),
        (exceptions.PermissionDenied(), 403, "forbidden"),
        (exceptions.ParseError(), 400, "body_refused"),
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "forbidden"),
        (ArenaError("Please change that.", code="some_code"), 400, "some_code"),
    ):
        body, _ = problem_of(exception, view)
        assert (body["status"], body["code"]) == (status, code)
    _, answer = problem_of(exceptions.MethodNotAllowed("POST"), view)
    assert answer["Allow"] == "GET"
    _, answer = problem_of(TooMany("Please wait.", retry_after=7), view)
    assert answer["Retry-After"] == "7"


def test_what_is_our_own_fault_is_not_told_as_a_refusal():
    assert told(ZeroDivisionError(), {"view": None}) is None
