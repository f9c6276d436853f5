"""Drives a real Chromium at everything a lane must not reach, and reports what was reached.

The browser, the launcher and the proxy are those of a lane; the resolver and the far ends are scripted
(:mod:`battles.lanes.egress_probe_proxy`), so that the probe needs no network and harms nobody. Two things are watched:
every address the proxy dials, and canaries on the machine's own loopback that only a browser past the proxy can
contact. Silence counts only where the controls show that the page ran and that the canaries hear.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Error, Page

from battles.lanes.chromium import LaunchFacts, chromium_for_lane
from battles.lanes.egress import EgressProxy
from battles.lanes.egress_addresses import parse_address, refused_address
from battles.lanes.egress_probe_servers import Canaries, Site, probe_servers
from battles.lanes.runtime_dir import lane_runtime_dir

#: The public address that plays every public name of the probe; its connections are wired to the probe's own site.
PUBLIC_ADDRESS = "93.184.215.14"

#: What names answer, one lookup after the other.
ANSWERS: Mapping[str, Sequence[Sequence[str]]] = {
    "public.example.net": [[PUBLIC_ADDRESS]],
    "rebinding.example.net": [[PUBLIC_ADDRESS], ["127.0.0.1"], [PUBLIC_ADDRESS], ["10.0.0.1"], ["::1"]],
    "mixed.example.net": [[PUBLIC_ADDRESS, "192.168.0.1"]],
    "wildcard.example.net": [["127.0.0.1"]],
    "sixth.example.net": [["::ffff:127.0.0.1"]],
    "tunnel.example.net": [["64:ff9b::7f00:1"]],
    "localhost": [["127.0.0.1"]],
    "metadata.google.internal": [["169.254.169.254"]],
}

#: Where the probe's page is loaded from: pinned like a practice site, and a secure context, as service workers need.
PAGE_HOST = "localhost:80"

#: Pages that go through the proxy and must be refused there.
REFUSED_TARGETS = (
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://localhost:8080/",
    "http://[::1]/",
    "http://0.0.0.0/",
    "http://2130706433:8080/",
    "http://0x7f.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "http://10.0.0.1/",
    "http://intranet/",
    "https://127.0.0.1/",
    "http://mixed.example.net/",
    "http://wildcard.example.net/",
    "http://sixth.example.net/",
    "http://tunnel.example.net/",
    "http://public.example.net:22/",
)

#: Those of them that also get the ways that cost a document, a thread or a window: an address and two names.
SOME_TARGETS = ("http://127.0.0.1:8080/", "http://wildcard.example.net/", "http://metadata.google.internal/")

#: Lookups of the rebinding name: more than it has answers, so that every one of them is tried.
REBINDING_TRIES = 8

#: Schemes that no page may open by itself.
OTHER_SCHEMES = (
    "chrome://version/",
    "chrome://settings/",
    "devtools://devtools/bundled/inspector.html",
    "ftp://127.0.0.1/",
)

#: Seconds for the page to have tried everything, and for stragglers to arrive afterwards.
PROBE_SECONDS = 180.0
STRAGGLER_SECONDS = 1.5

#: What a browser may be at when all is over; anything else was opened by a page against the rules.
HARMLESS_PAGES = ("http:", "https:", "about:", "chrome-error:", "data:", "blob:")


class ProbeFailed(Exception):
    """The browser started, and the probe's page broke or took too long: nothing is known."""


@dataclass(frozen=True, slots=True)
class LayerReport:
    """What one layer of defence let through.

    Attributes:
        isolated: whether the browser had a network namespace of its own.
        sandboxed: whether its processes were sandboxed.
        attempts: ways out that the page tried.
        refused: kinds of requests that the proxy refused.
        reached: what was reached and must not be; empty when the layer holds.
        missing: controls that failed; with one of these, silence means nothing.
    """

    isolated: bool
    sandboxed: bool
    attempts: int
    refused: int
    reached: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.reached and not self.missing


class ProbedProxy(EgressProxy):
    """A lane's proxy in the scripted world; ``dialled`` is every address it connected to."""

    MODULE = "battles.lanes.egress_probe_proxy"

    def __init__(self, site_port: int, runtime_dir: Path) -> None:
        site = f"127.0.0.1:{site_port}"
        super().__init__({PAGE_HOST: site}, runtime_dir)
        self._wires = {PUBLIC_ADDRESS: site, site: site}
        self.dialled: set[tuple[str, int]] = set()

    def config(self) -> dict[str, Any]:
        return {**super().config(), "answers": ANSWERS, "wires": self._wires}

    def take_event(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "dialled":
            self.dialled.add((event["address"], event["port"]))
        super().take_event(kind, event)


def run_probe(*, isolate: bool, proxy_class: type[ProbedProxy] = ProbedProxy) -> LayerReport:
    """Probe one layer: the network namespace with everything else, or the flags and the policy alone.

    Raises:
        NoChromium, LaunchFailed, EgressUnavailable, RuntimeDirUnusable: there is nothing to probe.
        ProbeFailed: the page did not come to an end.
    """
    with lane_runtime_dir() as folder:
        try:
            return asyncio.run(_probe(folder, isolate, proxy_class))
        except (Error, TimeoutError) as problem:
            raise ProbeFailed(f"The probe's page did not come to an end: {problem}") from problem


async def _probe(folder: Path, isolate: bool, proxy_class: type[ProbedProxy]) -> LayerReport:
    secret = folder / "secret.html"
    secret.write_text("the file that no page may read", encoding="utf-8")
    secret.chmod(0o644)
    async with probe_servers() as (site, canaries):
        await canaries.test()
        async with (
            proxy_class(site.port, folder) as proxy,
            chromium_for_lane(proxy, folder, isolate=isolate) as launched,
        ):
            outcome = await _drive(launched.context, canaries, secret)
            pages = await _wrong_pages(launched.context)
            await asyncio.sleep(STRAGGLER_SECONDS)
            refusals = proxy.drain_refusals()
            reached = [*_dialled_wrongly(proxy, site), *canaries.heard, *pages, *_addresses(outcome["candidates"])]
            return _report(launched.facts, outcome, refusals, reached, site)


async def _drive(context: BrowserContext, canaries: Canaries, secret: Path) -> dict[str, Any]:
    page = context.pages[0]
    await page.goto(f"http://{PAGE_HOST}/")
    direct = [f"http://{host}:{canaries.tcp_port}/" for host in ("127.0.0.1", "localhost", "0.0.0.0", "a.localhost")]  # noqa: S104
    if canaries.tcp6_port:
        direct.append(f"http://[::1]:{canaries.tcp6_port}/")
    ports = [{"host": "127.0.0.1", "port": port} for port in (canaries.udp_port, canaries.tcp_port)]
    plan = {
        "targets": [*REFUSED_TARGETS, *direct],
        "some": [*SOME_TARGETS, direct[0]],
        "ports": ports,
        "others": [secret.as_uri(), *OTHER_SCHEMES],
        "rebinding": [f"http://rebinding.example.net/{number}" for number in range(REBINDING_TRIES)],
        "control": "http://public.example.net/control",
    }
    async with asyncio.timeout(PROBE_SECONDS):
        outcome: dict[str, Any] = await page.evaluate("plan => probe(plan)", plan)
    return outcome


async def _wrong_pages(context: BrowserContext) -> list[str]:
    """Pages and frames at a place where no page may take the browser, or with the secret file in them."""
    found = [
        f"page:{frame.url}"
        for page in context.pages
        for frame in page.frames
        if frame.url and not frame.url.startswith(HARMLESS_PAGES)
    ]
    return found + [f"file in page:{page.url}" for page in context.pages if await _shows_secret(page)]


async def _shows_secret(page: Page) -> bool:
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(STRAGGLER_SECONDS):
            return "no page may read" in await page.content()
    return False


def _dialled_wrongly(proxy: ProbedProxy, site: Site) -> list[str]:
    wrong = []
    for address, port in sorted(proxy.dialled - {("127.0.0.1", site.port)}):
        parsed = parse_address(address)
        if parsed is None or refused_address(parsed) is not None or port not in {80, 443}:
            wrong.append(f"dialled:{address}:{port}")
    return wrong


def _addresses(candidates: Sequence[str]) -> list[str]:
    """Addresses of this machine that WebRTC told the page; names that hide them (``x.local``) are none."""
    words = (candidate.split(" ") for candidate in candidates)
    return sorted(
        {f"candidate:{parts[4]}" for parts in words if len(parts) > 4 and parse_address(parts[4]) is not None}
    )


def _report(
    facts: LaunchFacts,
    outcome: Mapping[str, Any],
    refusals: Sequence[Mapping[str, Any]],
    reached: Sequence[str],
    site: Site,
) -> LayerReport:
    refused = {f"{entry['host']} {entry['reason']}" for entry in refusals}
    controls = {
        "the page ran": outcome["attempts"] > len(REFUSED_TARGETS),
        "a public page was reached": "public.example.net /control" in site.asked,
        "the service worker ran": any(line.endswith(" /from-service-worker") for line in site.asked),
        "redirects were served": any(" /redirect?" in line for line in site.asked),
        "the rebinding name answered": any(line.startswith("rebinding.example.net ") for line in site.asked),
        "the rebinding name was refused": "rebinding.example.net loopback" in refused,
    }
    missing = tuple(name for name, seen in controls.items() if not seen)
    return LayerReport(
        facts.isolated_network,
        facts.sandboxed,
        outcome["attempts"],
        len(refusals),
        tuple(dict.fromkeys(reached)),
        missing,
    )
