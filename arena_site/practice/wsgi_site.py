"""What the practice sites share: requests, responses, routes and the WSGI call itself.

A site is one visitor's: whoever runs a lane makes a new instance, so the state of an instance
(a basket, a signed-in card) needs no cookie.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

from arena_site.practice.markup import Html
from governance.errors import ArenaError, NotFound

#: The longest form of any site (a review, a suggestion) is under 10 kB when percent-encoded twice over.
MAX_BODY_BYTES = 64 * 1024
#: Browsers send a form however long it is; up to here it is read to the end so that the refusal arrives.
MAX_DRAINED_BYTES = 2 * 1024 * 1024
#: Longer than any search form of ours with every field full.
MAX_QUERY_CHARS = 4096
#: More fields than any form of ours has.
MAX_FIELDS = 60
#: Pages load nothing but the site's own stylesheet, script and pictures, and post only to the site itself.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_ASSETS = Path(__file__).parent / "assets"
_ASSET_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class BadRequest(ArenaError):
    """The request cannot be read."""

    code = "bad_request"


class WrongMethod(ArenaError):
    """The page exists but does not take this method."""

    code = "wrong_method"
    status = 405

    def __init__(self, allowed: Iterable[str]) -> None:
        super().__init__("This page cannot be used in that way.")
        self.allowed = ", ".join(sorted(allowed))


class TooLarge(ArenaError):
    """The form is longer than any of ours."""

    code = "too_large"
    status = 413


class WrongType(ArenaError):
    """The body is not a form."""

    code = "wrong_type"
    status = 415


class TooLong(ArenaError):
    """The address is longer than any of ours."""

    code = "too_long"
    status = 414


class Params:
    """Submitted values by name, cleaned of control characters."""

    def __init__(self, raw: Mapping[str, list[str]]) -> None:
        self._values = {name: values[0] for name, values in raw.items() if values}

    def text(self, name: str, default: str = "") -> str:
        """The first value, on one line, without blanks at its ends."""
        return " ".join(self.lines(name, default).split())

    def lines(self, name: str, default: str = "") -> str:
        """The first value with its line breaks."""
        value = unicodedata.normalize("NFC", self._values.get(name, default)).replace("\r\n", "\n").replace("\t", " ")
        return "".join(c for c in value if c == "\n" or unicodedata.category(c) not in {"Cc", "Cs"}).strip()

    def number(self, name: str, *, default: int, least: int, most: int) -> int:
        """A whole number within bounds; ``default`` when it is none, the nearer bound when outside."""
        text = self.text(name)
        if not re.fullmatch(r"[0-9]{1,9}", text):
            return default
        return max(least, min(most, int(text)))

    def __contains__(self, name: str) -> bool:
        return name in self._values


@dataclass(frozen=True, slots=True)
class Request:
    """One request: ``query`` from the address, ``form`` from the body."""

    method: str
    path: str
    query: Params
    form: Params


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer; ``headers`` come on top of those every answer carries."""

    body: bytes
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()


Handler = Callable[..., Response]


def page(markup: Html, status: int = 200) -> Response:
    """A document as an answer."""
    return Response(markup.encode(), status=status)


def see_other(path: str, **query: str) -> Response:
    """Send the browser on after a form was taken, so that reloading does not send it again."""
    location = f"{path}?{urlencode(query)}" if query else path
    return Response(b"", status=303, headers=(("Location", location),))


def address(path: str, **query: object) -> str:
    """A path with the values that are not empty, in the order given."""
    kept = {name: str(value) for name, value in query.items() if value not in ("", None)}
    return f"{path}?{urlencode(kept)}" if kept else path


@dataclass(slots=True)
class Routes:
    """Which handler answers which path. ``{name}`` in a pattern is one segment of letters, digits and hyphens."""

    _table: list[tuple[re.Pattern[str], dict[str, Handler]]] = field(default_factory=list)

    def add(self, pattern: str, *, get: Handler | None = None, post: Handler | None = None) -> None:
        """Answer ``pattern``; handlers get the request and the named segments."""
        expression = re.sub(r"\{(\w+)\}", r"(?P<\1>[A-Za-z0-9-]{1,80})", pattern.replace(".", r"\."))
        handlers = {method: handler for method, handler in (("GET", get), ("POST", post)) if handler}
        self._table.append((re.compile(expression), handlers))

    def find(self, method: str, path: str) -> tuple[Handler, dict[str, str]]:
        """The handler and its segments.

        Raises:
            NotFound: no pattern fits the path.
            WrongMethod: the path is there, but not for this method.
        """
        for pattern, handlers in self._table:
            if match := pattern.fullmatch(path.rstrip("/") or "/"):
                handler = handlers.get("GET" if method == "HEAD" else method)
                if handler is None:
                    raise WrongMethod(handlers)
                return handler, match.groupdict()
        raise NotFound("There is no page at this address.")


class WsgiSite:
    """A practice site: subclasses add routes, pages and state.

    Every request is answered under the site's lock, so state changes one request at a time;
    checks take the same lock.
    """

    host: str
    #: Names of files among the assets, each served under its own name.
    assets: tuple[str, ...]

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.routes = Routes()
        for name in self.assets:
            self.routes.add(f"/{name}", get=self._asset(name))

    def problem_page(self, status: int, title: str, message: str) -> Html:
        """The document for a refusal, in the site's own look."""
        raise TypeError(f"{type(self).__name__} has no problem page")

    @staticmethod
    def _asset(name: str) -> Handler:
        content = (_ASSETS / name).read_bytes()
        kind = _ASSET_TYPES[Path(name).suffix]

        def serve(_request: Request) -> Response:
            return Response(content, content_type=kind, headers=(("Cache-Control", "max-age=600"),))

        return serve

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        response = self._answer(environ)
        headers = [
            ("Content-Type", response.content_type),
            ("Content-Length", str(len(response.body))),
            ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "same-origin"),
            *response.headers,
        ]
        if not any(name == "Cache-Control" for name, _ in response.headers):
            headers.append(("Cache-Control", "no-store"))
        start_response(f"{response.status} {HTTPStatus(response.status).phrase}", headers)
        return [] if environ.get("REQUEST_METHOD") == "HEAD" else [response.body]

    def _answer(self, environ: dict[str, Any]) -> Response:
        try:
            request = read_request(environ)
            handler, segments = self.routes.find(request.method, request.path)
            with self.lock:
                return handler(request, **segments)
        except ArenaError as refusal:
            title = "Page not found" if isinstance(refusal, NotFound) else "That did not work"
            with self.lock:
                markup = self.problem_page(refusal.status, title, refusal.message)
            headers = (("Allow", refusal.allowed),) if isinstance(refusal, WrongMethod) else ()
            return Response(markup.encode(), status=refusal.status, headers=headers)


def read_request(environ: Mapping[str, Any]) -> Request:
    """The request as the handlers see it.

    Raises:
        ArenaError: the address or the body is too long, or no form.
    """
    method = str(environ.get("REQUEST_METHOD", "GET"))
    path = str(environ.get("PATH_INFO") or "/").encode("latin-1", "replace").decode("utf-8", "replace")
    body = _read_body(environ) if method == "POST" else ""
    query = str(environ.get("QUERY_STRING", ""))
    if len(query) > MAX_QUERY_CHARS:
        raise TooLong("The address is too long. Please shorten what you searched for.")
    return Request(method, path, _params(query), _params(body))


def _params(encoded: str) -> Params:
    try:
        return Params(parse_qs(encoded, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError as error:
        raise BadRequest("The form has too many fields.") from error


def _read_body(environ: Mapping[str, Any]) -> str:
    declared = str(environ.get("CONTENT_LENGTH") or "0")
    if not re.fullmatch(r"[0-9]{1,9}", declared):
        raise BadRequest("The length of the form is not a number.")
    length, stream = int(declared), environ["wsgi.input"]
    if length > MAX_BODY_BYTES:
        left = min(length, MAX_DRAINED_BYTES)
        while left > 0 and (chunk := stream.read(min(left, MAX_BODY_BYTES))):
            left -= len(chunk)
        raise TooLarge("That is more than this form takes. Please shorten it and send it again.")
    content = stream.read(length) if length else b""
    kind = str(environ.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower()
    if content and kind != "application/x-www-form-urlencoded":
        raise WrongType("This page takes ordinary forms only.")
    return str(content.decode("utf-8", "replace"))
