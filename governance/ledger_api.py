"""The ledger for everybody: its signed head, its entries, its proofs and its keys.

Every answer is public, the same for everyone, and needs no cookie. Parameters are strict, since a proof of something
else than what was asked for would look like a wrong proof.
"""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request

from governance.errors import ArenaError
from governance.json_shapes import digest, instant, listed, maybe, record, text, whole, yes_no
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
    entries,
    entry_of_leaf,
    inclusion_proof,
)
from governance.models import LedgerKey
from governance.public_answers import ParameterRefused, problem_json
from governance.public_reading import FOR_GOOD, FOR_NOW, PLAIN, Answer, Parameter, PublicRead
from governance.public_reading import text as text_parameter

logger = logging.getLogger(__name__)

#: Entries in one answer.
MOST_ENTRIES = 256
#: As many digits as any number of entries will ever have.
MOST = 10**18 - 1

#: Why the ledger may not answer; the words are for the operator.
TROUBLE = ("ledger_rewritten", "ledger_damaged", "origin_changed", "key_not_here", "key_refused")
OUR_TROUBLE = "The ledger cannot answer this at the moment. The operator has been told why; please try again later."


def _number(name: str, words: str, *, needed: bool = False) -> Parameter:
    return Parameter(name, words, {"type": "integer", "minimum": 0, "maximum": MOST}, needed)


class LedgerRead(PublicRead):
    """What is our own trouble is told to the log, and not to the visitor."""

    heading = "Ledger"

    def get(self, request: Request, **path: Any) -> HttpResponse:
        try:
            return super().get(request, **path)
        except ArenaError as trouble:
            if trouble.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            logger.error("the ledger cannot answer: %s [%s]", trouble.message, trouble.code)
            return problem_json(trouble, told=OUR_TROUBLE)


class Checkpoint(LedgerRead):
    """The signed head as a note, with the cosignatures of witnesses.

    The head as of now, or as it was signed at a size.
    """

    label = "ledger_checkpoint"
    kinds = (PLAIN,)
    parameters = (_number("size", "The head that was signed when the ledger had so many entries."),)
    refusals = {404: ("no_such_checkpoint",), 503: TROUBLE}

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        size = self.asked.get("size")
        found = checkpoint_in_force() if size is None else stored_checkpoint(size)
        return Answer(str(signed_note(found)), caching=FOR_NOW)


class Entries(LedgerRead):
    """Entries from `start` up to, not including, `end`, or the one at `index`.

    `text` is what is hashed, as UTF-8, so a reader takes it as it is.
    """

    label = "ledger_entries"
    parameters = (
        _number("start", "The first entry, counted from 0."),
        _number("end", f"The one after the last; at most {MOST_ENTRIES} after the first."),
        _number("index", "One entry alone."),
    )
    refusals = {400: ("parameter_missing",), 404: ("no_such_entry",), 503: TROUBLE}
    shape = record(entries=listed(record(index=whole(), leaf_hash=digest(), text=text("Canonical JSON."))))

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        start, end = self._range()
        signed = checkpoint_in_force().size
        if end > signed:
            raise NoSuchEntry(f"The signed head has {signed} entries, counted from 0.", field="end")
        rows = [{"index": row.index, "leaf_hash": row.leaf_hash, "text": row.text} for row in entries(start, end)]
        return Answer(_plain({"entries": rows}), caching=FOR_GOOD)

    def _range(self) -> tuple[int, int]:
        index, start, end = (self.asked.get(name) for name in ("index", "start", "end"))
        if index is not None:
            if start is not None or end is not None:
                raise ParameterRefused("Give index alone, or start and end.", field="index")
            return index, index + 1
        if start is None or end is None:
            name = "start" if start is None else "end"
            raise ParameterRefused(f"{name} is missing.", code="parameter_missing", field=name)
        if not start < end <= start + MOST_ENTRIES:
            raise ParameterRefused(f"end must be above start, by at most {MOST_ENTRIES}.", field="end")
        return start, end


class InclusionProof(LedgerRead):
    """What shows that an entry is in the tree of `size`; without it, in the tree of the signed head."""

    label = "ledger_inclusion"
    parameters = (
        _number("index", "The entry, counted from 0."),
        text_parameter("leaf", "The hash of its leaf: 64 small hexadecimal digits.", "^[0-9a-f]{64}$"),
        _number("size", "Entries of the tree."),
    )
    refusals = {400: ("parameter_missing",), 404: ("no_such_entry", "no_such_size"), 503: TROUBLE}
    shape = record(index=whole(), size=whole(), leaf_hash=digest(), hashes=listed(digest()))

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        size = self.asked.get("size")
        proof = inclusion_proof(index=self._index(), size=checkpoint_in_force().size if size is None else size)
        return Answer(_plain(_inclusion(proof)), caching=FOR_NOW if size is None else FOR_GOOD)

    def _index(self) -> int:
        index, leaf = self.asked.get("index"), self.asked.get("leaf")
        if leaf is None:
            if index is None:
                raise ParameterRefused("index is missing.", code="parameter_missing", field="index")
            return int(index)
        if index is not None:
            raise ParameterRefused("Give index or leaf, not both.", field="leaf")
        return entry_of_leaf(bytes.fromhex(leaf))


def _inclusion(proof: Inclusion) -> dict[str, Any]:
    return {
        "index": proof.index,
        "size": proof.size,
        "leaf_hash": proof.leaf.hex(),
        "hashes": [value.hex() for value in proof.hashes],
    }


class ConsistencyProof(LedgerRead):
    """What shows that the tree of `first` entries is a prefix of that of `second`."""

    label = "ledger_consistency"
    parameters = (
        _number("first", "Entries of the smaller tree.", needed=True),
        _number("second", "Entries of the larger one.", needed=True),
    )
    refusals = {404: ("no_such_size",), 503: TROUBLE}
    shape = record(first=whole(), second=whole(), hashes=listed(digest()))

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        first, second = self.asked["first"], self.asked["second"]
        hashes = consistency_proof(first=first, second=second)
        document = {"first": first, "second": second, "hashes": [value.hex() for value in hashes]}
        return Answer(_plain(document), caching=FOR_GOOD)


class Keys(LedgerRead):
    """Public keys: ours, of which the newest is in force, and those of witnesses."""

    label = "ledger_keys"
    refusals = {503: TROUBLE}
    shape = record(
        origin=maybe(text("The name that our keys sign under.")),
        keys=listed(record(key=text("As signed notes write it."), added_at=instant(), in_force=yes_no())),
        witnesses=listed(record(key=text(), added_at=instant())),
        cosigned=maybe(whole("The size of the largest head that a witness signed.")),
    )

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        in_force = key_in_force()
        ours, witnesses = (LedgerKey.objects.filter(role=role).order_by("id") for role in LedgerKey.Role)
        document = {
            "origin": in_force.name if in_force else None,
            "keys": [_key(key) | {"in_force": key == in_force} for key in ours],
            "witnesses": [_key(key) for key in witnesses],
            "cosigned": latest_cosigned(),
        }
        return Answer(_plain(document), caching=FOR_NOW)


def _key(key: LedgerKey) -> dict[str, Any]:
    return {"key": str(verifier_key(key)), "added_at": key.added_at.strftime("%Y-%m-%dT%H:%M:%SZ")}


def _plain(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False)
