"""Shadow roots that a page keeps closed to scripts, handed to the lane's own script by DevTools.

A person sees and uses what is in them, so an agent that reads the element list has to as well.
"""

from __future__ import annotations

import asyncio
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import DocumentReplaced
from battles.lanes.tabs import Tab

#: A closed root may hold another; deeper nests are left to whoever sees the picture.
DEEPEST = 3

_LIST = "globalThis.lane ? lane.suspects() : []"
_HAND_OVER = "function (root) { lane.adoptRoot(this, root); }"


async def open_closed_roots(tab: Tab, world: int, session: CDPSession | None = None) -> bool:
    """Hand the roots of the elements that the script suspects over to it; whether there was any.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: as :meth:`Tab.send`.
    """
    try:
        listed = await tab.send("Runtime.evaluate", {"expression": _LIST, "contextId": world}, session)
        found = await tab.send(
            "Runtime.getProperties", {"objectId": listed["result"]["objectId"], "ownProperties": True}, session
        )
        hosts = [entry["value"]["objectId"] for entry in found["result"] if entry["name"].isdigit()]
        handed = await asyncio.gather(*(_hand_over(tab, world, session, host) for host in hosts))
    except (DocumentReplaced, PlaywrightError, KeyError):
        return False
    return any(handed)


async def _hand_over(tab: Tab, world: int, session: CDPSession | None, host: str) -> bool:
    described = await tab.send("DOM.describeNode", {"objectId": host}, session)
    roots: list[dict[str, Any]] = described["node"].get("shadowRoots", [])
    closed = next((root for root in roots if root.get("shadowRootType") == "closed"), None)
    if closed is None:
        return False
    node = {"backendNodeId": closed["backendNodeId"], "executionContextId": world}
    root = (await tab.send("DOM.resolveNode", node, session))["object"]["objectId"]
    handing = {"functionDeclaration": _HAND_OVER, "objectId": host, "arguments": [{"objectId": root}]}
    await tab.send("Runtime.callFunctionOn", handing, session)
    return True
