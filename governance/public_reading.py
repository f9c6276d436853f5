"""Public documents for programs: what an address of the API takes, gives and refuses, declared once.

A view says its parameters, kinds and shape; the schema is written from the same words that the view keeps to.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag
from rest_framework.request import Request
from rest_framework.views import APIView

from governance.errors import ArenaError
from governance.public_answers import ParameterRefused, require_known, require_reading

JSON, CSV, PLAIN, YAML = "application/json", "text/csv", "text/plain", "application/yaml"
#: How a kind is called in ``?format=``.
FORMATS = {"json": JSON, "csv": CSV, "yaml": YAML}
#: The parameter that asks for a kind, and wins over the header.
FORMAT = "format"

#: What a digest names never changes.
FOR_GOOD = "public, max-age=31536000, immutable"
#: What changes once a night, or when an operator says so.
FOR_A_MINUTE = "public, max-age=60"
#: Kept, and asked about each time.
FOR_NOW = "public, no-cache"
NOT_AT_ALL = "no-store"

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
#: How much a kind is liked (RFC 9110, 12.4.2).
_WEIGHT = re.compile(r"0(?:\.[0-9]*)?|1(?:\.0*)?")
ANYTHING = "*/*"


class NotAcceptable(ArenaError):
    """The ``Accept`` header leaves out whatever this address gives."""

    code = "not_acceptable"
    status = 406

    def __init__(self, kinds: Sequence[str]) -> None:
        super().__init__(f"This is given as {' or as '.join(kinds)}; your Accept header leaves that out.")


class PreconditionFailed(ArenaError):
    """``If-Match`` or ``If-Unmodified-Since`` is about another version than the one there is."""

    code = "precondition_failed"
    status = 412

    def __init__(self) -> None:
        super().__init__("This is another version than the one you named. Read it again without a precondition.")


def preferred_kind(accept: str | None, kinds: Sequence[str]) -> str | None:
    """The kind that an ``Accept`` header likes best; None where it leaves all of them out.

    Of the ranges that a kind is in, the narrowest says how much it is liked, and "not at all" leaves it out. Of those
    that are liked alike, the one that is named more narrowly wins, then the one that is named first. Parameters other
    than the weight say nothing here. An empty header is none: anything will do.
    """
    ranges = [_range(part) for part in (accept or "").split(",") if part.strip()] or [(ANYTHING, 1.0)]
    best, found = (0.0, 0, 0), None
    for kind in kinds:
        # Narrow before wide; of those that are as narrow, the kindest.
        for narrowness, wanted in ((2, kind), (1, f"{kind.partition('/')[0]}/*"), (0, ANYTHING)):
            named = [(weight, -place) for place, (name, weight) in enumerate(ranges) if name == wanted]
            if named:
                weight, place = max(named)
                if weight > 0 and (found is None or (weight, narrowness, place) > best):
                    best, found = (weight, narrowness, place), kind
                break
    return found


def _range(part: str) -> tuple[str, float]:
    """A range of kinds and how much it is liked; a weight that cannot be read is none."""
    name, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q" and _WEIGHT.fullmatch(value.strip()):
            return name, float(value)
    return name, 1.0


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an address.

    Attributes:
        name: as written.
        words: what it does, for the schema.
        shape: its JSON Schema: strings by ``enum`` or ``pattern``, whole numbers by ``minimum`` and ``maximum``.
        needed: whether it must be given.
    """

    name: str
    words: str
    shape: Mapping[str, Any]
    needed: bool = False

    def read(self, text: str) -> Any:
        """The value that a text stands for.

        Raises:
            ParameterRefused: it is outside of the shape.
        """
        if self.shape["type"] == "integer":
            return self._whole(text)
        if options := self.shape.get("enum"):
            if text not in options:
                raise self._refused(f"There is no such {self.name}; there are: {', '.join(options)}.")
        elif not re.fullmatch(self.shape["pattern"], text):
            raise self._refused(f"{self.name} cannot be read. {self.words}")
        return text

    def _whole(self, text: str) -> int:
        lowest, highest = self.shape["minimum"], self.shape["maximum"]
        if not _WHOLE.fullmatch(text) or not lowest <= int(text) <= highest:
            raise self._refused(f"{self.name} must be a whole number from {lowest:,} to {highest:,}, in digits alone.")
        return int(text)

    def _refused(self, words: str) -> ParameterRefused:
        return ParameterRefused(words, field=self.name)


def choice(
    name: str, words: str, options: Sequence[str], *, default: str | None = None, needed: bool = False
) -> Parameter:
    """One of a few words."""
    shape: dict[str, Any] = {"type": "string", "enum": list(options)}
    return Parameter(name, words, shape if default is None else shape | {"default": default}, needed)


def whole(
    name: str, words: str, lowest: int, highest: int, *, default: int | None = None, needed: bool = False
) -> Parameter:
    """A whole number."""
    shape: dict[str, Any] = {"type": "integer", "minimum": lowest, "maximum": highest}
    return Parameter(name, words, shape if default is None else shape | {"default": default}, needed)


def text(name: str, words: str, pattern: str, *, needed: bool = False) -> Parameter:
    """A text of a form: ``pattern`` is that of the whole text, between ``^`` and ``$``."""
    return Parameter(name, words, {"type": "string", "pattern": pattern}, needed)


@dataclass(frozen=True, slots=True)
class Answer:
    """A document as it is served.

    Attributes:
        body: the text, or what makes it once it turns out that the reader has another one.
        tag: changes with the body; its SHA-256 by default.
        caching: who may keep it for how long.
        changed_at: since when it is as it is, where that is known for certain.
        file: what a browser that saves it calls it.
        vary: headers that lead to another answer.
        status: of the answer.
        onward: the address of the next page.
    """

    body: str | bytes | Callable[[], str | bytes]
    tag: str | None = None
    caching: str = FOR_A_MINUTE
    changed_at: datetime | None = None
    file: str = ""
    vary: tuple[str, ...] = ()
    status: int = HTTPStatus.OK
    onward: str | None = None


class PublicRead(APIView, ABC):
    """An address that everybody may read, and that is the same for all.

    Attributes:
        parameters: all that the query may have, each at most once.
        kinds: media types that it gives, the first one where nothing is asked for.
        shape: JSON Schema of the JSON document, or a reference to a component's.
        components: JSON Schemas by name that ``shape`` refers to.
        table: what the rows of the CSV are, where there is one.
        refusals: codes by status, besides what every address refuses.
        statuses: what it answers with a document.
        places: JSON Schema and words of what the path names.
        keeps_still: whether answers have a tag, so that a reader can ask whether theirs is still the one.
        counted: whether asking counts towards how often somebody may ask.
        label: of the operation in the schema.
        heading: the group of addresses it belongs to.
    """

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    parser_classes = ()
    metadata_class = None

    parameters: ClassVar[Sequence[Parameter]] = ()
    kinds: ClassVar[Sequence[str]] = (JSON,)
    shape: ClassVar[Mapping[str, Any]] = {}
    components: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    table: ClassVar[str] = ""
    refusals: ClassVar[Mapping[int, Sequence[str]]] = {}
    statuses: ClassVar[Mapping[int, str]] = {200: "The document."}
    places: ClassVar[Mapping[str, tuple[Mapping[str, Any], str]]] = {}
    keeps_still: ClassVar[bool] = True
    counted: ClassVar[bool] = True
    label: ClassVar[str] = ""
    heading: ClassVar[str] = ""

    #: Values of the parameters that were given, and the media type that was asked for.
    asked: dict[str, Any]
    kind: str

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what cannot be answered, before anything is read.

        Raises:
            ArenaError: as :meth:`admit`; another method than reading; a parameter; no kind that the reader takes.
        """
        plain = request._request
        self.admit(plain)
        require_reading(plain)
        names = [parameter.name for parameter in self.parameters]
        if len(self.kinds) > 1:
            names.append(FORMAT)
        require_known(plain, names)
        self.kind = self._kind(plain)
        for parameter in self.parameters:
            if parameter.needed and not plain.GET.get(parameter.name):
                raise ParameterRefused(f"{parameter.name} is missing.", code="parameter_missing", field=parameter.name)
        self.asked = {one.name: one.read(plain.GET[one.name]) for one in self.parameters if one.name in plain.GET}

    def admit(self, request: HttpRequest) -> None:
        """Let somebody pass; those who must not know that there is such an address meet a refusal here."""

    @abstractmethod
    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        """The document, in ``self.kind``."""

    def get(self, request: Request, **path: Any) -> HttpResponse:
        found = self.answer(request._request, **path)
        body = None if callable(found.body) else _bytes(found.body)
        response = HttpResponse(body or b"", content_type=_content_type(self.kind), status=found.status)
        if found.caching != NOT_AT_ALL:
            response["ETag"] = quote_etag(self._tag(found, body))
        if found.changed_at is not None:
            response.headers["Last-Modified"] = found.changed_at.strftime("%a, %d %b %Y %H:%M:%S GMT")
        response["Cache-Control"] = found.caching
        if found.onward:
            response["Link"] = f'<{found.onward}>; rel="next"'
        if found.file:
            response["Content-Disposition"] = f'attachment; filename="{found.file}"'
        vary = (*found.vary, *(("Accept",) if len(self.kinds) > 1 else ()))
        if vary:
            patch_vary_headers(response, vary)
        return self._conditional(request._request, response, found)

    def _conditional(self, request: HttpRequest, response: HttpResponse, found: Answer) -> HttpResponse:
        changed = int(found.changed_at.timestamp()) if found.changed_at is not None else None
        conditional = get_conditional_response(
            request, etag=response.get("ETag"), last_modified=changed, response=response
        )
        if conditional is not None and conditional.status_code == HTTPStatus.PRECONDITION_FAILED:
            raise PreconditionFailed
        if (conditional is None or conditional is response) and callable(found.body):
            response.content = _bytes(found.body())
        served = response if conditional is None else conditional
        if found.caching.startswith("public"):
            served["Access-Control-Allow-Origin"] = "*"
        return served

    def _tag(self, found: Answer, body: bytes | None) -> str:
        """Another one for each kind, since they differ byte by byte."""
        if found.tag is None:
            return hashlib.sha256(body if body is not None else b"").hexdigest()
        return found.tag if self.kind == self.kinds[0] else f"{found.tag}-{self.kind.partition('/')[2]}"

    def _kind(self, request: HttpRequest) -> str:
        formats = {name: kind for name, kind in FORMATS.items() if kind in self.kinds}
        asked = request.GET.get(FORMAT) if len(self.kinds) > 1 else None
        if asked is not None:
            if asked not in formats:
                raise ParameterRefused(
                    f"There is no such format; there are: {', '.join(formats)}.", code="bad_format", field=FORMAT
                )
            return formats[asked]
        preferred = preferred_kind(request.headers.get("Accept"), self.kinds)
        if preferred is None:
            raise NotAcceptable(self.kinds)
        return preferred

    @property
    def default_response_headers(self) -> dict[str, str]:
        """None: what an answer may say of itself is said where it is made."""
        return {}


def _bytes(body: str | bytes) -> bytes:
    return body.encode() if isinstance(body, str) else body


def _content_type(kind: str) -> str:
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
