"""The schema of the API as it is served: made once, since it changes with the code only."""

from __future__ import annotations

import functools
import json
from typing import Any

import yaml
from django.http import HttpRequest
from drf_spectacular.generators import SchemaGenerator

from arena_site.rest import identities  # noqa: F401 - the library finds them once they are there
from governance.json_shapes import record, text
from governance.public_reading import JSON, YAML, Answer, PublicRead


@functools.cache
def schema_document() -> dict[str, Any]:
    """OpenAPI 3.1, as plain JSON values."""
    made = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]  # the library's
    document: dict[str, Any] = json.loads(json.dumps(made))
    return document


@functools.cache
def schema_text(kind: str) -> str:
    """The document as JSON or YAML."""
    document = schema_document()
    if kind == YAML:
        return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    return json.dumps(document, ensure_ascii=False)


class Schema(PublicRead):
    """This description of the API (OpenAPI 3.1)."""

    label = "schema"
    heading = "About"
    kinds = (JSON, YAML)
    shape = record(
        openapi=text("The version of the form.", pattern=r"^3\.1\."), info={}, servers={}, paths={}, components={}
    )

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        return Answer(schema_text(self.kind))
