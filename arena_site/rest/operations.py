"""The schema (OpenAPI 3.1) as the views mean it: parameters, answers and refusals, with their codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from arena_site.rest.response_headers import header_components, with_headers
from governance.public_answers import PROBLEM
from governance.public_reading import FORMAT, FORMATS, JSON, PublicRead, choice

Schema = dict[str, Any]
#: Codes by status.
Codes = Mapping[int, Iterable[str]]

PROBLEM_REF = {"$ref": "#/components/schemas/Problem"}
_ERROR = {
    "type": "object",
    "properties": {"field": {"type": "string"}, "code": {"type": "string"}, "detail": {"type": "string"}},
    "required": ["field", "code", "detail"],
}
PROBLEM_SHAPE: Schema = {
    "type": "object",
    "description": "Why something cannot be done (RFC 9457). `code` is stable; the words may change.",
    "properties": {
        "type": {"type": "string", "const": "about:blank"},
        "title": {"type": "string", "description": "The phrase of the status."},
        "status": {"type": "integer"},
        "code": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
        "detail": {"type": "string", "description": "What happened and what to change, for people."},
        "field": {"type": "string", "description": "The parameter or the part of the body it is about."},
        "errors": {"type": "array", "items": _ERROR, "description": "Where several parts are wrong: each of them."},
    },
    "required": ["type", "title", "status", "code", "detail"],
}
#: Whatever is read may be refused for these.
OF_READING: Codes = {
    400: ("request_refused", "unknown_parameter", "parameter_twice"),
    406: ("not_acceptable",),
    412: ("precondition_failed",),
    429: ("limit_reading",),
}
#: And what is sent, for these.
OF_SENDING: Codes = {
    400: (
        "body_refused",
        "not_utf8",
        "not_json",
        "name_twice",
        "number_refused",
        "not_unicode",
        "too_deep",
        "invalid",
        "request_refused",
    ),
    406: ("not_acceptable",),
    411: ("length_required",),
    413: ("body_too_large",),
    415: ("unsupported_media_type",),
}
#: What is nobody's choice.
OF_TROUBLE: Codes = {500: ("server_error",), 503: ("unavailable",)}


def refused(codes: Codes) -> dict[tuple[int, str], OpenApiResponse]:
    """Refusals for ``extend_schema(responses=...)``, with the codes of each status."""
    return {
        (status, PROBLEM): OpenApiResponse(response=_problem(of_status), description=HTTPStatus(status).phrase)
        for status, of_status in codes.items()
    }


def _problem(codes: Iterable[str]) -> Schema:
    return {"allOf": [PROBLEM_REF], "properties": {"code": {"enum": list(codes)}}}


class Operation(AutoSchema):
    """An operation, read from its view; what every address may refuse is added to what the view says of itself."""

    def get_tags(self) -> list[str]:
        heading = getattr(self.view, "heading", "")
        return [heading] if heading else super().get_tags()

    def get_operation_id(self) -> str:
        label = getattr(self.view, "label", "")
        return label or super().get_operation_id()

    def get_summary(self) -> str:
        return self.get_description_whole().partition("\n\n")[0].replace("\n", " ")

    def get_description(self) -> str:  # type: ignore[override]  # as the library has it
        return self.get_description_whole().partition("\n\n")[2]

    def get_description_whole(self) -> str:
        """The docstring of the method, or else of the view, without the sections for programmers."""
        whole = super().get_description() or ""
        for section in ("Raises:", "Attributes:", "Args:"):
            whole = whole.partition(f"\n\n{section}")[0]
        return whole.strip()

    def get_auth(self) -> list[Schema]:
        """Nobody need be somebody: what that does not do is refused by what is done."""
        ways: list[Schema] = super().get_auth()
        return [*ways, {}] if ways and {} not in ways else ways

    def get_override_parameters(self) -> list[Any]:
        if not isinstance(self.view, PublicRead):
            return []
        declared = list(self.view.parameters)
        if len(self.view.kinds) > 1:
            names = [name for name, kind in FORMATS.items() if kind in self.view.kinds]
            declared.append(choice(FORMAT, "The kind of answer; wins over the Accept header.", names))
        return [
            OpenApiParameter(
                name=one.name,
                type=dict(one.shape),
                location=OpenApiParameter.QUERY,
                required=one.needed,
                description=one.words,
            )
            for one in declared
        ] + self._places()

    def _places(self) -> list[OpenApiParameter]:
        """What the address itself names."""
        places: Mapping[str, tuple[Schema, str]] = getattr(self.view, "places", {})
        return [
            OpenApiParameter(
                name=name, type=dict(shape), location=OpenApiParameter.PATH, required=True, description=words
            )
            for name, (shape, words) in places.items()
        ]

    def get_response_serializers(self) -> Any:
        return {200: None} if isinstance(self.view, PublicRead) else super().get_response_serializers()

    def _get_request_body(self, direction: Any = "request") -> Schema | None:
        return None if isinstance(self.view, PublicRead) else super()._get_request_body(direction)  # type: ignore[no-untyped-call]  # the library's

    def _get_response_bodies(self, direction: Any = "response") -> Schema:
        if not isinstance(self.view, PublicRead):
            responses: Schema = super()._get_response_bodies(direction)
            common = OF_READING if self.method == "GET" else OF_SENDING
            return with_headers(self.view, _merged(responses, [common, OF_TROUBLE, self._of_the_path()]))
        view = self.view
        for name, shape in view.components.items():
            component = ResolvedComponent(  # type: ignore[no-untyped-call]  # the library's
                name=name, type=ResolvedComponent.SCHEMA, schema=dict(shape), object=name
            )
            self.registry.register_on_missing(component)
        responses = {str(status): self._document(view, words) for status, words in view.statuses.items()}
        parameters = ["parameter_refused"] if view.parameters else []
        parameters += ["parameter_missing"] if any(one.needed for one in view.parameters) else []
        parameters += ["bad_format"] if len(view.kinds) > 1 else []
        if view.keeps_still:
            responses["304"] = {"description": "You have it: nothing changed since the version you named."}
        further = [view.refusals, {400: parameters}, self._of_the_path(), OF_READING, OF_TROUBLE]
        return with_headers(view, _merged(responses, further))

    def _of_the_path(self) -> Codes:
        return {404: ("not_found",)} if "{" in self.path else {}

    def _document(self, view: PublicRead, words: str) -> Schema:
        content = {kind: {"schema": self._shape(view, kind)} for kind in view.kinds}
        return {"description": words, "content": content}

    def _shape(self, view: PublicRead, kind: str) -> Schema:
        if kind == JSON:
            return dict(view.shape)
        return {"type": "string", **({"description": view.table} if view.table and kind == "text/csv" else {})}


def _merged(responses: Schema, further: Iterable[Codes]) -> Schema:
    """The responses with further refusals; those that name no codes already are left as they are."""
    for codes in further:
        for status, of_status in codes.items():
            names = list(of_status)
            if not names:
                continue
            known = responses.setdefault(str(status), {"description": HTTPStatus(status).phrase})
            content = known.setdefault("content", {}).setdefault(PROBLEM, {"schema": _problem(())})
            enum = content["schema"].get("properties", {}).get("code", {}).get("enum")
            if enum is not None:
                enum += [name for name in names if name not in enum]
    return dict(sorted(responses.items()))


def complete(result: Schema, generator: Any, request: Any, public: bool) -> Schema:
    """The last touch: the form of refusals, which is no serializer, headers, and no marks of the library's own."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM_SHAPE
    components["headers"] = header_components(result)
    return dict(_unmarked(result))


def _unmarked(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {name: _unmarked(inner) for name, inner in part.items() if name != "x-spec-enum-id"}
    return [_unmarked(inner) for inner in part] if isinstance(part, list) else part
