"""The ledger for everybody: its signed head, its entries, its proofs and its keys.

Every answer is public, the same for everyone, and needs no cookie. Parameters are strict, since a proof of something
else than what was asked for would look like a wrong proof. Refusals are ``problem+json`` (RFC 9457).
"""

from __future__ import annotations

import functools
import json
import logging
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeAlias

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.csrf import csrf_exempt

from governance.errors import ArenaError
from governance.ledger.checkpoints import (
    checkpoint_in_force,
    key_in_force,
    latest_cosigned,
    signed_note,
    stored_checkpoint,
    verifier_key,
)
from governance.ledger.entries import (
    Inclusion,
    NoSuchEntry,
    consistency_proof,
    digest_of,
    entries,
    entry_of_leaf,
    inclusion_proof,
)
from governance.models import LedgerKey
from governance.public_answers import problem_json, require_known, require_reading

logger = logging.getLogger(__name__)

#: Entries in one answer.
MOST_ENTRIES = 256
#: A proof between two sizes never changes, nor does an entry.
FOR_GOOD = "public, max-age=31536000, immutable"
#: What depends on how far the ledger has grown: kept, and asked about each time.
FOR_NOW = "public, no-cache"
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_HASH = re.compile(r"[0-9a-f]{64}")

View: TypeAlias = Callable[[HttpRequest], HttpResponse]


class ParameterRefused(ArenaError):
    """A parameter is missing, unknown, given twice, or cannot be read."""

    code = "parameter_refused"


def _refusal(error: ArenaError) -> HttpResponse:
    """A refusal in JSON. What is our own trouble is told to the log, not to the visitor."""
    if error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return problem_json(error)
    logger.error("the ledger cannot answer: %s [%s]", error.message, error.code)
    return problem_json(
        error,
        told="The ledger cannot answer this at the moment. The operator has been told why; please try again later.",
    )


def _public(*parameters: str) -> Callable[[View], View]:
    """A view that takes these parameters, each at most once, answers conditional requests, and refuses in JSON."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def answer(request: HttpRequest) -> HttpResponse:
            try:
                require_reading(request)
                require_known(request, parameters, ParameterRefused)
                response = view(request)
            except ArenaError as refusal:
                return _refusal(refusal)
            response["ETag"] = quote_etag(digest_of(response.content))
            response["Access-Control-Allow-Origin"] = "*"
            return get_conditional_response(request, etag=response["ETag"], response=response) or response

        # Nothing is written, so what would be refused for a missing token is refused for what it is.
        return csrf_exempt(answer)

    return decorate


def _number(request: HttpRequest, name: str) -> int | None:
    value = request.GET.get(name)
    if value is None:
        return None
    if not _NUMBER.fullmatch(value):
        raise ParameterRefused(f"{name} must be a whole number, 0 or more, without signs and spaces.", field=name)
    return int(value)


def _needed(request: HttpRequest, name: str) -> int:
    value = _number(request, name)
    if value is None:
        raise ParameterRefused(f"{name} is missing.", code="parameter_missing", field=name)
    return value


def _json(document: dict[str, Any], caching: str) -> HttpResponse:
    response = HttpResponse(json.dumps(document, ensure_ascii=False), content_type="application/json")
    response["Cache-Control"] = caching
    return response


@_public("size")
def checkpoint(request: HttpRequest) -> HttpResponse:
    """The signed head as a note, as of now or as it was signed at a size; with the cosignatures of witnesses."""
    size = _number(request, "size")
    found = checkpoint_in_force() if size is None else stored_checkpoint(size)
    response = HttpResponse(str(signed_note(found)), content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = FOR_NOW
    return response


@_public("start", "end", "index")
def ledger_entries(request: HttpRequest) -> HttpResponse:
    """Entries from ``start`` up to, not including, ``end``, or the one at ``index``.

    ``text`` is what is hashed, as UTF-8, so a reader takes it as it is.
    """
    start, end = _range(request)
    signed = checkpoint_in_force().size
    if end > signed:
        raise NoSuchEntry(f"The signed head has {signed} entries, counted from 0.", field="end")
    rows = [{"index": row.index, "leaf_hash": row.leaf_hash, "text": row.text} for row in entries(start, end)]
    return _json({"entries": rows}, FOR_GOOD)


def _range(request: HttpRequest) -> tuple[int, int]:
    index, start, end = (_number(request, name) for name in ("index", "start", "end"))
    if index is not None:
        if start is not None or end is not None:
            raise ParameterRefused("Give index alone, or start and end.", field="index")
        return index, index + 1
    start, end = _needed(request, "start"), _needed(request, "end")
    if not start < end <= start + MOST_ENTRIES:
        raise ParameterRefused(f"end must be above start, by at most {MOST_ENTRIES}.", field="end")
    return start, end


@_public("index", "leaf", "size")
def inclusion(request: HttpRequest) -> HttpResponse:
    """What shows that an entry is in the tree of ``size``; without it, in the tree of the signed head."""
    size = _number(request, "size")
    proof = inclusion_proof(index=_index(request), size=checkpoint_in_force().size if size is None else size)
    return _json(_inclusion(proof), FOR_NOW if size is None else FOR_GOOD)


def _index(request: HttpRequest) -> int:
    leaf = request.GET.get("leaf")
    if leaf is None:
        return _needed(request, "index")
    if "index" in request.GET:
        raise ParameterRefused("Give index or leaf, not both.", field="leaf")
    if not _HASH.fullmatch(leaf):
        raise ParameterRefused("leaf must be the hash of a leaf: 64 small hexadecimal digits.", field="leaf")
    return entry_of_leaf(bytes.fromhex(leaf))


def _inclusion(proof: Inclusion) -> dict[str, Any]:
    return {
        "index": proof.index,
        "size": proof.size,
        "leaf_hash": proof.leaf.hex(),
        "hashes": [value.hex() for value in proof.hashes],
    }


@_public("first", "second")
def consistency(request: HttpRequest) -> HttpResponse:
    """What shows that the tree of ``first`` entries is a prefix of that of ``second``."""
    first, second = _needed(request, "first"), _needed(request, "second")
    hashes = consistency_proof(first=first, second=second)
    return _json({"first": first, "second": second, "hashes": [value.hex() for value in hashes]}, FOR_GOOD)


@_public()
def keys(request: HttpRequest) -> HttpResponse:
    """Public keys: ours, of which the newest is in force, and those of witnesses."""
    in_force = key_in_force()
    ours, witnesses = (LedgerKey.objects.filter(role=role).order_by("id") for role in LedgerKey.Role)
    document = {
        "origin": in_force.name if in_force else None,
        "keys": [_key(key) | {"in_force": key == in_force} for key in ours],
        "witnesses": [_key(key) for key in witnesses],
        "cosigned": latest_cosigned(),
    }
    return _json(document, FOR_NOW)


def _key(key: LedgerKey) -> dict[str, Any]:
    return {"key": str(verifier_key(key)), "added_at": key.added_at.strftime("%Y-%m-%dT%H:%M:%SZ")}
