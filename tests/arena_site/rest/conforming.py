"""Answers held against the schema, which is closed here: a field that it does not name is a fault of the schema.

Readers outside pass over what they do not know, so that the schema as served forbids nothing further.
"""

import functools
import json
import re
from urllib.parse import urlsplit

import yaml
from jsonschema import Draft202012Validator, FormatChecker

from arena_site.rest.schema_document import schema_document

PROBLEM = "application/problem+json"
#: What answers have as messages of HTTP, or as answers of the site, pages included.
OF_EVERY_ANSWER = {
    "Content-Length",
    "Content-Security-Policy",
    "Content-Type",
    "Cross-Origin-Opener-Policy",
    "Expires",
    "Referrer-Policy",
    "Server",
    "Vary",
    "X-Content-Type-Options",
    "X-Frame-Options",
    "X-Request-ID",
}


@functools.cache
def closed_document():
    return closed(schema_document())


def closed(shape):
    """The same schema, in which objects with named fields have no others."""
    if isinstance(shape, list):
        return [closed(each) for each in shape]
    if not isinstance(shape, dict):
        return shape
    inner = {key: closed(each) for key, each in shape.items()}
    of_objects = "object" in shape.get("type", ()) if isinstance(shape.get("type"), list | str) else False
    if of_objects and "properties" in shape and "additionalProperties" not in shape and "const" not in shape:
        # A problem is described in two parts, which is why this looks at both.
        inner["unevaluatedProperties"] = False
    return inner


@functools.cache
def paths():
    return {re.compile(re.sub(r"\{[^}]+\}", r"[^/]+", path) + "$"): path for path in schema_document()["paths"]}


def path_in_schema(address):
    """The path that an address is one of; the most literal where several are."""
    asked = urlsplit(address).path
    found = [path for pattern, path in paths().items() if pattern.match(asked)]
    return min(found, key=lambda path: path.count("{")) if found else None


def misfits(response, address, method="get"):
    """What of an answer is otherwise than the schema says."""
    path = path_in_schema(address)
    if path is None:
        return [f"{address} is not in the schema"]
    responses = closed_document()["paths"][path][method]["responses"]
    told = responses.get(str(response.status_code))
    if told is None:
        return [f"{response.status_code} is not foreseen"]
    wrong = headers_amiss(response, told["headers"])
    if response.status_code == 304:
        return wrong if body_of(response) == b"" else [*wrong, "a 304 has a body"]
    content = told.get("content", {})
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    if kind not in content:
        return [f"{kind or 'nothing'} is not foreseen for {response.status_code}"]
    if kind in {"application/json", PROBLEM}:
        shape = {**content[kind]["schema"], "components": closed_document()["components"]}
        checker = Draft202012Validator(shape, format_checker=FormatChecker())
        errors = checker.iter_errors(json.loads(body_of(response)))
        wrong += [f"{error.json_path}: {error.message[:200]}" for error in errors]
    elif kind == "application/yaml":
        assert yaml.safe_load(body_of(response))
    return wrong


def headers_amiss(response, told):
    """Headers that are missing, have no such form, or are told of nowhere."""
    wrong = [
        f"{name} is not foreseen for {response.status_code}"
        for name in response.headers
        if name not in told and name not in OF_EVERY_ANSWER
    ]
    for name, reference in told.items():
        header = schema_document()["components"]["headers"][reference["$ref"].rpartition("/")[2]]
        value = response.headers.get(name)
        if value is None:
            wrong += [f"no {name}"] if header["required"] else []
            continue
        meant = int(value) if header["schema"].get("type") == "integer" else value
        wrong += [f"{name}: {error.message}" for error in Draft202012Validator(header["schema"]).iter_errors(meant)]
    return wrong


def body_of(response):
    """Of Django's client, or of an HTTP client."""
    if getattr(response, "streaming", False):
        return b"".join(response.streaming_content)
    return response.content
