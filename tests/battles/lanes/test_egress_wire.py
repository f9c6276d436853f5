"""HTTP on the wire: one reading of every message, or none."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.lanes.egress_wire import (
    MAX_HEAD_BYTES,
    BadGateway,
    BadRequest,
    copy_body,
    forwarded_request,
    own_answer,
    read_answer,
    read_request,
)

PATIENCE = 2.0


class Written:
    """The writing half of a connection, kept in memory."""

    def __init__(self):
        self.data = b""

    def write(self, data):
        self.data += data

    async def drain(self):
        await asyncio.sleep(0)


def given_bytes(data):
    reader = asyncio.StreamReader(limit=MAX_HEAD_BYTES)
    reader.feed_data(data)
    reader.feed_eof()
    return reader


def parsed(data):
    async def parse():
        return await read_request(given_bytes(data))

    return asyncio.run(parse())


def answered(data):
    async def read():
        return await read_answer(given_bytes(data))

    return asyncio.run(read())


def passed_on(data):
    """What a site would get of a request's body."""

    async def copy():
        reader, writer = given_bytes(data), Written()
        request = await read_request(reader)
        await copy_body(request, reader, writer, PATIENCE)
        return writer.data

    return asyncio.run(copy())


def test_a_request_is_read_and_forwarded_in_origin_form():
    request = parsed(
        b"GET http://Example.com:8080/a?b=c HTTP/1.1\r\nHost: other.example.org\r\nAccept: */*\r\n"
        b"Proxy-Connection: keep-alive\r\nConnection: X-Secret, keep-alive\r\nX-Secret: 1\r\nUpgrade: h2c\r\n\r\n"
    )
    assert forwarded_request(request) == (
        b"GET /a?b=c HTTP/1.1\r\nHost: example.com:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    )


def test_a_client_cannot_have_the_length_of_its_body_dropped():
    request = parsed(
        b"POST http://a.example.com/ HTTP/1.1\r\nConnection: content-length\r\nContent-Length: 3\r\n\r\nabc"
    )
    assert b"Content-Length: 3" in forwarded_request(request)


def test_a_client_that_leaves_without_a_word_is_no_error():
    assert parsed(b"") is None


@pytest.mark.parametrize(
    "head",
    [
        b"GET http://a.example.com/ HTTP/1.1\r\nBroken\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1\r\n folded: x\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1\r\nA: x\r\n y\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1\r\nA : x\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1\r\nA: x\ry: z\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1\r\nA: x\ny: z\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1\r\nA: x\x00\r\n\r\n",
        b"GET  http://a.example.com/ HTTP/1.1\r\n\r\n",
        b"GET http://a.example.com/ HTTP/2.0\r\n\r\n",
        b"get http://a.example.com/ HTTP/1.1\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1 x\r\n\r\n",
        b"GET http://a.example.com/\xff HTTP/1.1\r\n\r\n",
        b"\r\nGET http://a.example.com/ HTTP/1.1\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1\r\nA: " + b"x" * MAX_HEAD_BYTES + b"\r\n\r\n",
        b"GET http://a.example.com/ HTTP/1.1\r\nA: x\r\n",
        b"POST http://a.example.com/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST http://a.example.com/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST http://a.example.com/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"POST http://a.example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST http://a.example.com/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST http://a.example.com/ HTTP/1.1\r\nContent-Length: 0x10\r\n\r\n",
        b"POST http://a.example.com/ HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n",
    ],
)
def test_what_two_parsers_could_read_differently_is_refused(head):
    with pytest.raises(BadRequest):
        parsed(head)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_a_bad_message(data):
    try:
        request = parsed(data + b"\r\n\r\n")
    except BadRequest:
        return
    assert request is not None
    assert request.target


def test_a_body_is_passed_on_exactly_as_long_as_its_head_says():
    head = b"POST http://a.example.com/ HTTP/1.1\r\nContent-Length: 5\r\n\r\n"
    assert passed_on(head + b"12345GET http://127.0.0.1/ HTTP/1.1\r\n\r\n") == b"12345"


def test_a_body_in_chunks_is_framed_anew():
    head = b"POST http://a.example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"5;note=x\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\nGET http://127.0.0.1/"
    assert passed_on(head + body) == b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    "body", [b"x\r\n", b"5\r\nhello!\r\n", b"-1\r\n", b"1" * 16 + b"\r\n", b"1 \r\na\r\n", b"\r\n"]
)
def test_broken_chunks_are_refused(body):
    with pytest.raises((BadRequest, EOFError)):
        passed_on(b"POST http://a.example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body)


def test_a_body_that_is_cut_off_is_an_error():
    with pytest.raises(EOFError):
        passed_on(b"POST http://a.example.com/ HTTP/1.1\r\nContent-Length: 5\r\n\r\n123")


def test_an_answer_loses_what_ends_at_the_next_hop():
    head = answered(
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nKeep-Alive: 5\r\nX-Hop: 1\r\nContent-Length: 2\r\n"
        b"Set-Cookie: a=b\r\nSet-Cookie: c=d\r\n\r\nok"
    )
    assert head == (
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nConnection: close\r\n\r\n"
    )


def test_interim_answers_are_left_out():
    head = answered(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 204")


def test_a_site_cannot_ask_the_browser_to_sign_in_to_the_proxy():
    head = answered(b"HTTP/1.1 407 Sign in\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 502 ")
    assert b"authenticate" not in head.lower()


@pytest.mark.parametrize(
    "answer", [b"", b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 101 Switching\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"x" * 70000]
)
def test_what_is_no_answer_is_a_bad_gateway(answer):
    with pytest.raises(BadGateway):
        answered(answer)


def test_the_proxys_own_pages_say_their_words_and_escape_them():
    page = own_answer(403, "<script>")
    assert page.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert b"&lt;script&gt;" in page
    assert b"<script>" not in page
