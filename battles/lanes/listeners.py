"""Which elements listen for clicks themselves, where nothing else tells: DevTools knows, and no script can."""

from __future__ import annotations

import asyncio
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import DocumentReplaced
from battles.lanes.tabs import Tab

#: What a listener listens for when a click is to do something.
_OF_CLICKS = frozenset({"click", "mousedown", "mouseup", "pointerdown", "pointerup"})

_LIST = "globalThis.lane ? lane.listenersToAsk() : []"
_TELL = "function (listens) { lane.hear(this, listens); }"


async def ask_listeners(tab: Tab, world: int, session: CDPSession | None = None) -> bool:
    """Tell the script which of the elements that it asks about listen for clicks; whether any does.

    Raises:
        CallTimedOut, TabClosed, TabCrashed: as :meth:`Tab.send`.
    """
    try:
        listed = await tab.send("Runtime.evaluate", {"expression": _LIST, "contextId": world}, session)
        found = await tab.send(
            "Runtime.getProperties", {"objectId": listed["result"]["objectId"], "ownProperties": True}, session
        )
        elements = [entry["value"]["objectId"] for entry in found["result"] if entry["name"].isdigit()]
        answers = await asyncio.gather(*(_ask(tab, session, element) for element in elements))
    except (DocumentReplaced, PlaywrightError, KeyError):
        return False
    return any(answers)


async def _ask(tab: Tab, session: CDPSession | None, element: str) -> bool:
    # DevTools tells the listeners of one world only, and those of the page are in the page's own.
    described = await tab.send("DOM.describeNode", {"objectId": element}, session)
    node = {"backendNodeId": described["node"]["backendNodeId"]}
    of_page = (await tab.send("DOM.resolveNode", node, session))["object"]["objectId"]
    answer = await tab.send("DOMDebugger.getEventListeners", {"objectId": of_page}, session)
    listeners: list[dict[str, Any]] = answer["listeners"]
    listens = any(listener["type"] in _OF_CLICKS for listener in listeners)
    telling = {"functionDeclaration": _TELL, "objectId": element, "arguments": [{"value": listens}]}
    await tab.send("Runtime.callFunctionOn", telling, session)
    return listens
