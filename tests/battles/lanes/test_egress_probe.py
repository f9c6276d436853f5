"""The probe finds nothing where the defences stand, and finds something where one is removed."""

import asyncio

import pytest

from battles.lanes import chromium
from battles.lanes.egress_probe import LayerReport, ProbedProxy, run_probe
from battles.lanes.egress_probe_servers import Canaries, probe_servers

pytestmark = pytest.mark.browser


class CredulousProxy(ProbedProxy):
    MODULE = "tests.battles.lanes.credulous_proxy"


def test_nothing_is_reached_from_the_namespace():
    report = run_probe(isolate=True)
    assert report.holds, report
    assert report.isolated
    assert report.attempts > 400


def test_nothing_is_reached_on_the_flags_alone():
    report = run_probe(isolate=False)
    assert report.holds, report
    assert not report.isolated


def test_without_the_flags_and_the_namespace_the_canaries_hear(monkeypatch):
    monkeypatch.setattr(chromium, "EGRESS_ARGUMENTS", ())
    report = run_probe(isolate=False)
    assert "udp:127.0.0.1" in report.reached


def test_without_the_flags_the_namespace_still_holds(monkeypatch):
    monkeypatch.setattr(chromium, "EGRESS_ARGUMENTS", ())
    assert run_probe(isolate=True).holds


def test_without_the_judgement_of_answers_a_rebinding_name_gets_through():
    report = run_probe(isolate=True, proxy_class=CredulousProxy)
    # Loopback is then still refused as the machine's own address; the private one is not.
    assert "dialled:10.0.0.1:80" in report.reached
    assert "the rebinding name was refused" in report.missing


def test_silence_without_controls_is_no_success():
    assert not LayerReport(True, True, 500, 20, (), ("the service worker ran",)).holds
    assert not LayerReport(True, True, 500, 20, ("udp:127.0.0.1",), ()).holds
    assert LayerReport(True, True, 500, 20, (), ()).holds


def test_the_canaries_hear_each_contact_and_a_deaf_one_is_noticed(monkeypatch):
    async def listen():
        async with probe_servers() as (_, canaries):
            await canaries.test()
            _, writer = await asyncio.open_connection("127.0.0.1", canaries.tcp_port)
            writer.close()
            await asyncio.sleep(0.1)
            return list(canaries.heard)

    assert asyncio.run(listen()) == ["tcp:127.0.0.1"]

    async def deaf(self, reader, writer):
        writer.close()

    monkeypatch.setattr("battles.lanes.egress_probe_servers.HEAD_SECONDS", 0.3)
    monkeypatch.setattr(Canaries, "hear", deaf)
    with pytest.raises(TimeoutError):
        asyncio.run(listen())
