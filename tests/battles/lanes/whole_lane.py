"""One visit by a lane's real browser, as the lane itself starts it: profile, user, sandbox and proxy."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from battles.lanes.actions import perform
from battles.lanes.browser import LaneBrowser
from battles.lanes.chromium import chromium_for_lane
from battles.lanes.egress import EgressProxy
from battles.lanes.events import Action, ActionResult
from battles.lanes.validation import Request, validate
from battles.lanes.viewing import View

#: A browser's start on a busy machine, and the visit.
SECONDS = 90.0

#: How long the page is left to itself before the last look.
MOMENT = 1.5


@dataclass(frozen=True, slots=True)
class Visit:
    """What the navigation came to, what was there a moment later, and what the proxy refused."""

    result: ActionResult
    view: View
    refused: Sequence[Mapping[str, Any]]


def visit_in_a_lane(folder: Path, address: str, path: str) -> Visit:
    """Open ``http://address/path`` in a lane with nothing before it; nothing of the lane is left after."""
    return asyncio.run(asyncio.wait_for(_visit(folder, address, path), SECONDS))


async def _visit(folder: Path, address: str, path: str) -> Visit:
    async with EgressProxy({address: address}, folder) as proxy, chromium_for_lane(proxy, folder) as launched:
        browser = LaneBrowser(launched.context, drain_refusals=proxy.drain_refusals)
        await browser.start()
        request = validate(Action("navigate", {"url": f"http://{address}{path}"}))
        assert isinstance(request, Request)
        done = await perform(browser, request)
        await asyncio.sleep(MOMENT)
        return Visit(done.result, await browser.observe(), browser.take_refusals())
