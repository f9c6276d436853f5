"""What the tests ask of a provider's dialect, and the rules of a conversation that hold in every one of them."""

from __future__ import annotations

import base64
import binascii
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from battles.lanes.events import Usage
from battles.lanes.vocabulary import VERBS

MODEL = "model-1"

#: First bytes of the pictures we send.
MAGIC = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8\xff", "image/webp": b"RIFF"}

TOOLS = [(verb.name, verb.summary, verb.arguments) for verb in VERBS.values()]


_serial = itertools.count(1)


def new_id(prefix: str) -> str:
    """An identifier that no other call of this run has."""
    return f"{prefix}_{next(_serial)}"


class Malformed(Exception):
    """A request that the provider would refuse."""


@dataclass
class Turn:
    """One turn of a conversation: a user's with results of calls, or a model's with calls."""

    role: str
    words: list[str] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)
    images: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.words)


@dataclass(frozen=True)
class Transcript:
    """What a request says, in the terms that all dialects share."""

    system: str
    tools: Sequence[tuple[str, str, Mapping[str, Any]]]
    turns: Sequence[Turn]
    #: Whether calls are told apart by identifiers; by their order otherwise.
    identifiers_differ: bool = True

    @property
    def images(self) -> int:
        return sum(turn.images for turn in self.turns)

    @property
    def models_turns(self) -> list[Turn]:
        return [turn for turn in self.turns if turn.role == "model"]


class Dialect(Protocol):
    """How one provider phrases things. Answers are pairs of body and status, replies are bodies."""

    adapter: str
    key_variable: str
    base_path: str
    malformed_kind: str
    #: Bodies of usage and what they mean.
    usages: Sequence[tuple[Any, Usage | None]]

    def authorized(self, headers: Mapping[str, str], key: str) -> bool: ...
    def check(self, request: Any) -> None: ...
    def model_of(self, request: Any) -> str: ...
    def read(self, body: Any) -> Transcript: ...
    def sent_back(self, body: Any) -> Any: ...
    def calls(self, *calls: tuple[str, Any], words: str = "", ids: Sequence[Any] = (), usage: Any = None) -> Any: ...
    def says(self, words: str) -> Any: ...
    def with_hidden(self, body: Any) -> Any: ...
    def with_unknown(self, body: Any) -> Any: ...
    def pieces_of(self, body: Any) -> Any: ...
    def cut_off(self, words: str) -> Any: ...
    def refusals(self) -> Sequence[Any]: ...
    def native_call(self) -> tuple[Any, str]: ...
    def hollow(self) -> Sequence[Any]: ...
    def error(self, status: int, kind: str, message: str) -> tuple[Any, int]: ...
    def wrong_key(self) -> tuple[Any, int]: ...
    def no_model(self) -> tuple[Any, int]: ...
    def no_credit(self) -> tuple[Any, int]: ...
    def too_long(self) -> Sequence[tuple[Any, int]]: ...
    def rate_limited(self) -> tuple[Any, int]: ...
    def declined(self) -> Sequence[tuple[Any, int]]: ...


def check_transcript(transcript: Transcript) -> None:
    """The rules of all APIs.

    Raises:
        Malformed: one is broken.
    """
    need(list(transcript.tools) == TOOLS, "the tools are not exactly the verbs, in their words and order")
    need(bool(transcript.system.strip()), "there are no rules")
    turns = transcript.turns
    for place, turn in enumerate(turns):
        need(turn.role == ("model" if place % 2 else "user"), f"turn {place} is out of order: roles have to alternate")
        need(bool(turn.words or turn.calls), f"turn {place} is empty")
        need(turn.role == "user" or turn.images == 0, "a model's turn holds an image")
        need(all(word.strip() for word in turn.words), f"turn {place} has an empty text")
    need(len(turns) % 2 == 1, "the last turn has to be the user's")
    seen: set[str] = set()
    need(not turns[0].results, "a result without a call")
    for asked, answered in zip(turns[1::2], turns[2::2], strict=True):
        wanted, got = [call for call, _ in asked.calls], [call for call, _ in answered.results]
        need(wanted == got, f"calls {wanted} were answered by {got}")
        for call in wanted:
            need(not call or call not in seen or not transcript.identifiers_differ, f"two calls are called {call}")
            seen.add(call)


def need(good: bool, fault: str) -> None:
    """A rule: ``fault`` says how it was broken."""
    if not good:
        raise Malformed(fault)


def only(value: Any, *, has: str = "", may: str = "") -> Mapping[str, Any]:
    """The object, which has the names of ``has``, may have those of ``may``, and no others."""
    need(isinstance(value, dict), f"{value!r:.80} is no object")
    must, can = set(has.split()), set(may.split())
    need(must <= set(value), f"{sorted(must - set(value))} missing in {sorted(value)}")
    need(set(value) <= must | can, f"unknown: {sorted(set(value) - must - can)}")
    return value


def check_image(mime: Any, data: Any) -> None:
    """Well-formed base64 of a picture of that type."""
    need(mime in MAGIC, f"no image of type {mime!r}")
    need(isinstance(data, str), "image data that is no text")
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise Malformed("image data that is no base64") from None
    need(content.startswith(MAGIC[mime]), f"the image is no {mime}")


def check_data_url(url: Any) -> None:
    """The same for an image inside an address."""
    need(isinstance(url, str) and url.startswith("data:"), "no data address")
    head, _, data = url[5:].partition(",")
    mime, _, coding = head.partition(";")
    need(coding == "base64", "not base64")
    check_image(mime, data)


def is_text(value: Any) -> str:
    need(isinstance(value, str), f"{value!r:.40} is no text")
    return str(value)
