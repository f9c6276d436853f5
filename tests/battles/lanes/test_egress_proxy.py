"""The proxy process: what goes through, what does not, and what is told about it."""

import asyncio
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from battles.lanes.egress import EgressProxy, EgressUnavailable
from battles.lanes.egress_proxy import MAX_CONNECTIONS, Network, Proxy
from battles.lanes.processes import is_alive, process_status
from battles.lanes.runtime_dir import browser_user, lane_runtime_dir
from tests.battles.lanes.scripted_proxy import PATIENCE, PUBLIC, hand_over, run

ROOT = Path(__file__).resolve().parents[3]
ANSWERS = {
    "site.example.net": [[PUBLIC]],
    "rebinding.example.net": [[PUBLIC], ["127.0.0.1"], [PUBLIC], ["10.0.0.1"]],
    "mixed.example.net": [[PUBLIC, "10.0.0.1"]],
    "inside.example.net": [["127.0.0.1"]],
    "dead.example.net": [["93.184.215.99"]],
    "update.googleapis.com": [[PUBLIC]],
}


def get(host, path="/"):
    return f"GET http://{host}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def connect(target):
    return f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()


def test_a_public_page_is_fetched_from_the_address_that_was_judged():
    async def test(client, proxy, upstream):
        answer = await client.say(get("site.example.net", "/a?b"))
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert answer.endswith(b"ok")
        assert upstream.received[0].startswith(b"GET /a?b HTTP/1.1\r\nHost: site.example.net\r\n")
        assert proxy.dialled == [f"{PUBLIC}:80"]
        assert proxy.drain_refusals() == []

    run(test, answers=ANSWERS)


def test_a_pinned_host_is_fetched_from_where_the_operator_says():
    async def test(client, proxy, upstream):
        assert (await client.say(get("shop.practice.test"))).startswith(b"HTTP/1.1 200")
        assert b"Host: shop.practice.test\r\n" in upstream.received[0]
        assert (await client.say(get("shop.practice.test:8080"))).startswith(b"HTTP/1.1 403")
        assert len(upstream.received) == 1

    run(test, allow=["shop.practice.test:80"])


@pytest.mark.parametrize(
    ("request_bytes", "reason"),
    [
        (get("127.0.0.1"), "loopback"),
        (get("localhost"), "internal_name"),
        (get("[::1]"), "loopback"),
        (get("2130706433"), "loopback"),
        (get("inside.example.net"), "loopback"),
        (get("mixed.example.net"), "private"),
        (get("nowhere.example.net"), "unresolved"),
        (get("site.example.net:22"), "port"),
        (get("user@site.example.net"), "credentials"),
        (connect("127.0.0.1:443"), "loopback"),
        (connect("[::1]:443"), "loopback"),
        (connect("[::ffff:127.0.0.1]:443"), "mapped"),
        (connect("169.254.169.254:80"), "link_local"),
        (connect("inside.example.net:443"), "loopback"),
        (connect("site.example.net:6379"), "port"),
    ],
)
def test_what_the_policy_refuses_is_answered_so_reported_and_never_dialled(request_bytes, reason):
    async def test(client, proxy, upstream):
        answer = await client.say(request_bytes)
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert proxy.dialled == []
        refusals = proxy.drain_refusals()
        assert [refusal["reason"] for refusal in refusals] == [reason]
        assert set(refusals[0]) == {"host", "port", "reason"}
        assert proxy.drain_refusals() == []

    run(test, answers=ANSWERS)


def test_a_second_answer_cannot_redirect_a_name():
    async def test(client, proxy, upstream):
        statuses = [(await client.say(get("rebinding.example.net")))[9:12] for _ in range(5)]
        assert statuses == [b"200", b"403", b"200", b"403", b"403"]
        assert set(proxy.dialled) == {f"{PUBLIC}:80"}

    run(test, answers=ANSWERS)


def test_a_later_request_cannot_ride_on_an_earlier_verdict():
    async def test(client, proxy, upstream):
        answer = await client.say(get("site.example.net") + get("127.0.0.1") + get("site.example.net", "/second"))
        assert answer.count(b"HTTP/1.1") == 1
        assert len(upstream.received) == 1
        assert b"/second" not in upstream.received[0]
        assert b"127.0.0.1" not in upstream.received[0]
        assert proxy.dialled == [f"{PUBLIC}:80"]

    run(test, answers=ANSWERS)


def test_bytes_after_a_body_do_not_reach_the_site():
    async def test(client, proxy, upstream):
        head = b"POST http://site.example.net/ HTTP/1.1\r\nContent-Length: 4\r\n\r\n"
        await client.say(head + b"bodyGET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert upstream.received[0].endswith(b"\r\n\r\nbody")

    run(test, answers=ANSWERS)


def test_a_site_may_answer_before_it_has_heard_everything():
    async def refuse(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge")
        await writer.drain()
        await asyncio.sleep(0.3)
        writer.close()

    async def test(client, proxy, upstream):
        upstream.handle_instead = refuse
        head = b"POST http://site.example.net/ HTTP/1.1\r\nContent-Length: 30000000\r\n\r\n"
        reader, writer = await client.open()
        writer.write(head + bytes(10_000_000))
        async with asyncio.timeout(PATIENCE):
            answer = await reader.readuntil(b"large")
        assert answer.startswith(b"HTTP/1.1 413 ")
        writer.close()

    run(test, answers=ANSWERS)


def test_a_very_long_host_is_told_short():
    async def test(client, proxy, upstream):
        await client.say(get("a" * 20_000 + ".example.net"))
        assert len(proxy.drain_refusals()[0]["host"]) <= 253

    run(test)


@pytest.mark.parametrize(
    "nonsense",
    [
        b"GET / HTTP/1.1\r\nHost: site.example.net\r\n\r\n",
        b"GET https://site.example.net/ HTTP/1.1\r\n\r\n",
        b"GET ftp://site.example.net/ HTTP/1.1\r\n\r\n",
        connect("site.example.net"),
        connect("site.example.net:http"),
        connect("site.example.net:443:443"),
        connect("http://site.example.net:443"),
        connect("site.example.net:123456"),
        b"POST http://site.example.net/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"GET http://site.example.net/ HTTP/1.1\r\nA: " + b"x" * 70000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_request_to_a_proxy_is_a_bad_one(nonsense):
    async def test(client, proxy, upstream):
        assert (await client.say(nonsense)).startswith(b"HTTP/1.1 400 ")
        assert proxy.dialled == []

    run(test, answers=ANSWERS)


def test_a_tunnel_carries_bytes_both_ways_and_ends_with_either_side():
    async def test(client, proxy, upstream):
        reader, writer = await client.open()
        writer.write(connect("site.example.net:443"))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        writer.write(b"\x00 hello\r\n\r\n")
        assert await reader.readexactly(len(upstream.answer)) == upstream.answer
        writer.write(b"Connection: close")
        async with asyncio.timeout(PATIENCE):
            assert await reader.read() == b""
        assert upstream.received[0] == b"\x00 hello\r\n\r\nConnection: close"
        writer.close()

    run(test, answers=ANSWERS)


def test_a_site_that_does_not_answer_is_a_bad_gateway():
    async def test(client, proxy, upstream):
        assert (await client.say(get("dead.example.net"))).startswith(b"HTTP/1.1 502 ")

    run(test, answers=ANSWERS)


@pytest.mark.parametrize("answer", [b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 101 Switching Protocols\r\n\r\n"])
def test_a_site_that_does_not_speak_http_is_a_bad_gateway(answer):
    async def test(client, proxy, upstream):
        assert (await client.say(get("site.example.net"))).startswith(b"HTTP/1.1 502 ")

    run(test, answers=ANSWERS, answer=answer)


def test_a_large_answer_is_streamed_whole_and_not_kept():
    body = os.urandom(1 << 16) * 512

    async def test(client, proxy, upstream):
        answer = await client.say(get("site.example.net"))
        assert hashlib.sha256(answer.partition(b"\r\n\r\n")[2]).digest() == hashlib.sha256(body).digest()
        assert int(process_status(proxy.pid)["VmHWM"].split()[0]) < 100_000

    run(test, answers=ANSWERS, answer=b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def test_connections_are_capped_and_the_cap_lifts():
    async def test(client, proxy, upstream):
        idle = [await client.open() for _ in range(MAX_CONNECTIONS)]
        await asyncio.sleep(0.5)
        assert (await client.say(get("site.example.net"))).startswith(b"HTTP/1.1 503 ")
        for _, writer in idle:
            writer.close()
        await asyncio.sleep(0.5)
        assert (await client.say(get("site.example.net"))).startswith(b"HTTP/1.1 200 ")

    run(test, answers=ANSWERS)


def test_a_refusal_is_told_once_however_often_it_happened():
    async def test(client, proxy, upstream):
        for _ in range(5):
            await client.say(get("10.0.0.1"))
        assert proxy.drain_refusals() == [{"host": "10.0.0.1", "port": 80, "reason": "private"}]

    run(test)


def test_what_the_browser_asks_for_by_itself_is_refused_and_not_told():
    async def test(client, proxy, upstream):
        assert (await client.say(connect("update.googleapis.com:443"))).startswith(b"HTTP/1.1 403 ")
        assert proxy.dialled == []
        assert proxy.drain_refusals() == []

    run(test, answers=ANSWERS)


def test_nothing_of_a_request_but_host_port_and_reason_is_ever_written():
    async def test(client, proxy, upstream):
        secret = "hunter2"
        await client.say(get("10.0.0.1", f"/{secret}?{secret}"))
        await client.say(f"GET http://{secret}:{secret}@10.0.0.1/ HTTP/1.1\r\nCookie: {secret}\r\n\r\n".encode())
        await client.say(f"{secret}\r\n\r\n".encode())
        await client.say(connect(f"{secret}@10.0.0.1:80"))
        await client.say(get("site.example.net", f"/{secret}"))
        assert len(proxy.events) >= 4
        assert secret not in repr(proxy.events)

    run(test, answers=ANSWERS)


def test_garbage_on_the_control_socket_does_not_end_the_proxy():
    async def test(client, proxy, upstream):
        for garbage in (b"", b"not JSON", b"[]", b"\xff" * 5000):
            _, writer = await asyncio.open_unix_connection(proxy.socket_path)
            writer.write(garbage)
            writer.close()
        await asyncio.sleep(0.2)
        assert (await client.say(get("site.example.net"))).startswith(b"HTTP/1.1 200 ")

    run(test, answers=ANSWERS)


def test_an_address_of_this_machine_is_refused_even_when_it_is_public():
    class OwnPublicAddress(Network):
        def look_up(self, host, port):
            return (PUBLIC,), host

        def is_own(self, address):
            return address == PUBLIC

    async def resolve():
        return await Proxy({}, OwnPublicAddress())._resolve("site.example.net", 443)

    assert asyncio.run(resolve()).refusal == "own_address"


def test_the_kernel_tells_which_addresses_are_this_machines_own():
    assert Network().is_own("127.0.0.1")
    assert Network().is_own("::1") or not socket.has_ipv6
    assert not Network().is_own("192.0.2.1")


def test_a_lookup_is_kept_for_the_connections_of_one_page():
    class Counting(Network):
        asked = 0

        def look_up(self, host, port):
            self.asked += 1
            return (PUBLIC,), host

    async def ask(seconds):
        network = Counting()
        proxy = Proxy({}, network, resolved_seconds=seconds)
        for _ in range(3):
            await proxy._resolve("site.example.net", 443)
        return network.asked

    assert asyncio.run(ask(60.0)) == 1
    assert asyncio.run(ask(0.0)) == 3


def test_the_proxy_starts_without_django_and_fast():
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, battles.lanes.egress_proxy; print([m for m in sys.modules if 'django' in m])",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert told.stdout.strip() == "[]"

    async def start():
        with lane_runtime_dir() as folder:
            began = time.monotonic()
            async with EgressProxy({}, folder) as proxy:
                assert proxy.port > 0
                return time.monotonic() - began

    assert asyncio.run(start()) < 3.0


def test_the_proxy_gives_up_root_and_listens_nowhere_until_asked():
    async def test():
        with lane_runtime_dir() as folder:
            async with EgressProxy({}, folder) as proxy:
                user = browser_user()
                if user is not None:
                    assert set(process_status(proxy.pid)["Uid"].split()) == {str(user.uid)}
                with pytest.raises(OSError, match="Connect call failed"):
                    await asyncio.open_connection("127.0.0.1", proxy.port)

    asyncio.run(test())


def test_the_proxy_is_gone_with_the_block_and_its_socket_too():
    async def test():
        with lane_runtime_dir() as folder:
            async with EgressProxy({}, folder) as proxy:
                await asyncio.to_thread(hand_over, proxy.socket_path)
                pid = proxy.pid
                assert is_alive(pid)
            assert not is_alive(pid)
            assert list(folder.iterdir()) == []

    asyncio.run(test())


def test_the_proxy_dies_with_a_killed_lane():
    program = (
        "import asyncio, sys\n"
        "from battles.lanes.egress import EgressProxy\n"
        "from battles.lanes.runtime_dir import lane_runtime_dir\n"
        "async def live():\n"
        "    with lane_runtime_dir() as folder:\n"
        "        async with EgressProxy({}, folder) as proxy:\n"
        "            print(proxy.pid, flush=True)\n"
        "            await asyncio.sleep(60)\n"
        "asyncio.run(live())\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as lane:
        pid = int(lane.stdout.readline())
        assert is_alive(pid)
        lane.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(pid)


def test_a_proxy_that_cannot_start_says_so():
    async def test():
        with lane_runtime_dir() as folder:
            (folder / "egress").write_text("in the way")
            async with EgressProxy({}, folder):
                pytest.fail("it started")

    with pytest.raises(EgressUnavailable, match="in use"):
        asyncio.run(test())
