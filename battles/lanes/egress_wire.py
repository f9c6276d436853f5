"""HTTP/1.1 on the wire as the egress proxy needs it: heads parsed strictly, bodies streamed, nothing passed on unread.

What two parsers could understand differently (two lengths, a length beside chunks, folded or broken header
lines, a bare carriage return) is refused in a request instead of repaired.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from ada_url import URL

#: A head longer than this is refused. Chromium takes 256 KiB from a site; sites that send 64 are not to be found.
MAX_HEAD_BYTES = 1 << 16

#: Bytes moved at a time.
CHUNK_BYTES = 1 << 16

#: Hop-by-hop headers (RFC 9110, section 7.6.1) and what would make a lane's proxy negotiate with a site.
HOP_BY_HOP = frozenset(
    (
        *("connection", "expect", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "upgrade"),
    )
)

#: A site that answers 407 asks Chromium to sign in to the *proxy*. It is passed on as what it is: a broken gateway.
PROXY_AUTHENTICATION_REQUIRED = b"407"
SPOOFED_STATUS = b"HTTP/1.1 502 Bad Gateway"

#: Tells the executor that an answer is the proxy's and no page of the site.
OWN_ANSWER_HEADER = "x-arena-not-reached"
PHRASES = {400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway", 503: "Service Unavailable"}

_REQUEST_LINE = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]+) HTTP/1\.[01]")
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\x00\r\n]*)?")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00\r\n]*?)[ \t]*")
_LENGTH = re.compile(rb"[0-9]{1,15}")
_CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,15})(?:[ \t]*;[^\r\n]*)?\r\n")

NOT_CHUNKED = "The body of the request is not chunked as it says."
NOT_HTTP = "The site's answer is not HTTP."


class OwnAnswer(Exception):
    """Something that is not passed on: the proxy answers ``status`` itself, with the text as its one line of words."""

    status: int


class BadRequest(OwnAnswer):
    """A request that is not HTTP, or not only in one way; the text says what is wrong with it."""

    status = 400


class Forbidden(OwnAnswer):
    """A request that the policy refuses; the text is the policy's."""

    status = 403


class BadGateway(OwnAnswer):
    """A site that cannot be reached, or whose answer is not HTTP."""

    status = 502


class TooMany(OwnAnswer):
    """One connection more than a lane may have."""

    status = 503


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The head of a request; ``length`` is the bytes of its body, ``None`` when that comes in chunks."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    length: int | None


async def read_request(reader: asyncio.StreamReader) -> RequestHead | None:
    """The head of a request, or ``None`` when the client left without one.

    Raises:
        BadRequest: too long, malformed, or not clear about where its body ends.
    """
    lines = await _read_lines(reader)
    if lines is None:
        return None
    first = _REQUEST_LINE.fullmatch(lines[0])
    if first is None:
        raise BadRequest("The request line is malformed.")
    headers = tuple(_headers(lines[1:]))
    return RequestHead(first[1].decode(), first[2].decode(), headers, _body_length(headers))


def forwarded_request(request: RequestHead) -> bytes:
    """The head as the site gets it: origin form, the host of the URL, no hop-by-hop headers, one request only."""
    url = URL(request.target)
    lines = [f"{request.method} {url.pathname}{url.search} HTTP/1.1".encode(), b"Host: " + url.host.encode()]
    lines += _end_to_end(request.headers, dropped={b"host"})
    return b"\r\n".join([*lines, b"Connection: close", b"", b""])


async def read_answer(reader: asyncio.StreamReader) -> bytes:
    """The head of the response as the browser gets it, interim responses left out.

    Raises:
        BadGateway: not a response, or a change of protocol nobody asked for.
    """
    while True:
        try:
            lines = await _read_lines(reader)
        except BadRequest as problem:
            raise BadGateway(NOT_HTTP) from problem
        status = _STATUS_LINE.fullmatch(lines[0]) if lines else None
        if lines is None or status is None or status[1] == b"101":
            raise BadGateway(NOT_HTTP)
        if status[1].startswith(b"1"):
            continue
        first = SPOOFED_STATUS if status[1] == PROXY_AUTHENTICATION_REQUIRED else lines[0]
        headers = [(header[1], header[2]) for line in lines[1:] if (header := _HEADER.fullmatch(line))]
        return b"\r\n".join([first, *_end_to_end(headers), b"Connection: close", b"", b""])


async def copy_body(
    request: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, silent: float
) -> None:
    """Pass the body of a request on, exactly as long as its head says.

    Raises:
        BadRequest: the chunks are malformed.
        EOFError: the client left in the middle of it.
        TimeoutError: nothing moved for ``silent`` seconds.
    """
    if request.length is not None:
        await _copy_exactly(reader, writer, request.length, silent)
        return
    while True:
        size = _CHUNK_SIZE.fullmatch(await _read_line(reader, silent))
        if size is None:
            raise BadRequest(NOT_CHUNKED)
        writer.write(size[1] + b"\r\n")
        remaining = int(size[1], 16)
        if remaining == 0:
            # Trailers are not passed on; what follows on this connection is not read.
            await _write(writer, b"\r\n", silent)
            return
        await _copy_exactly(reader, writer, remaining, silent)
        if await _read_line(reader, silent) != b"\r\n":
            raise BadRequest(NOT_CHUNKED)
        writer.write(b"\r\n")


async def copy_all(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, silent: float) -> None:
    """Pass everything on until the sender has no more.

    Raises:
        TimeoutError: nothing moved for ``silent`` seconds.
    """
    while data := await _read(reader, CHUNK_BYTES, silent):
        await _write(writer, data, silent)


async def wait_until_gone(reader: asyncio.StreamReader) -> None:
    """Wait until the client hangs up; what it still says is dropped."""
    while await reader.read(CHUNK_BYTES):
        pass


def own_answer(status: int, words: str) -> bytes:
    """A complete response of the proxy's own, with one line of words and nothing of the request."""
    phrase = PHRASES[status]
    body = f"<!doctype html><title>{phrase}</title><h1>Not reached</h1><p>{escape(words)}</p>\n".encode()
    head = (
        f"HTTP/1.1 {status} {phrase}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        f"Cache-Control: no-store\r\n{OWN_ANSWER_HEADER}: yes\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


async def _read_lines(reader: asyncio.StreamReader) -> list[bytes] | None:
    try:
        block = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as cut:
        if not cut.partial:
            return None
        raise BadRequest("The head is incomplete.") from cut
    except asyncio.LimitOverrunError as overrun:
        raise BadRequest("The head is too long.") from overrun
    return block[:-4].split(b"\r\n")


async def _read_line(reader: asyncio.StreamReader, silent: float) -> bytes:
    try:
        async with asyncio.timeout(silent):
            return await reader.readuntil(b"\r\n")
    except asyncio.LimitOverrunError as overrun:
        raise BadRequest(NOT_CHUNKED) from overrun


async def _read(reader: asyncio.StreamReader, most: int, silent: float) -> bytes:
    async with asyncio.timeout(silent):
        return await reader.read(most)


async def _write(writer: asyncio.StreamWriter, data: bytes, silent: float) -> None:
    writer.write(data)
    async with asyncio.timeout(silent):
        await writer.drain()


async def _copy_exactly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, length: int, silent: float) -> None:
    while length:
        data = await _read(reader, min(length, CHUNK_BYTES), silent)
        if not data:
            raise EOFError("the body of the request is cut off")
        length -= len(data)
        await _write(writer, data, silent)


def _headers(lines: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for line in lines:
        header = _HEADER.fullmatch(line)
        if header is None:
            raise BadRequest("A header line is malformed.")
        yield header[1], header[2]


def _body_length(headers: Iterable[tuple[bytes, bytes]]) -> int | None:
    lengths = {value for name, value in headers if name.lower() == b"content-length"}
    encodings = [value.lower() for name, value in headers if name.lower() == b"transfer-encoding"]
    if encodings == [b"chunked"] and not lengths:
        return None
    if encodings or len(lengths) > 1 or not all(map(_LENGTH.fullmatch, lengths)):
        raise BadRequest("The request does not say the length of its body in one way.")
    return int(next(iter(lengths), b"0"))


def _end_to_end(headers: Iterable[tuple[bytes, bytes]], dropped: Iterable[bytes] = ()) -> list[bytes]:
    """Header lines without those that end at the next hop, by name or because ``Connection`` names them."""
    headers = list(headers)
    named = b",".join(value for name, value in headers if name.lower() == b"connection").lower().split(b",")
    gone = {name.encode() for name in HOP_BY_HOP} | {name.strip() for name in named} | set(dropped)
    # A length or an encoding is never dropped on a client's word: the body that follows has it.
    gone -= {b"content-length", b"transfer-encoding"}
    return [name + b": " + value for name, value in headers if name.lower() not in gone]
