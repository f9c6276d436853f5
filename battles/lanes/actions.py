"""The executor: one verb in, its effect on the browser and its result out.

One executor serves every agent. A result is never an exception: what the agent can do something about
comes back as words with a code. Only a hung page and a dead browser are raised, since they end the lane.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error as PlaywrightError

from battles.lanes import going, keyboard, pointer, reading
from battles.lanes.bounds import CallTimedOut, DocumentReplaced, TabClosed, TabCrashed, first_line
from battles.lanes.browser import LaneBrowser
from battles.lanes.events import ActionResult, FrameShot
from battles.lanes.outcomes import Outcome, failed
from battles.lanes.pointer import NATIVE_PICKERS, Aim, Missed
from battles.lanes.settling import LOOK_EVERY
from battles.lanes.tabs import Tab
from battles.lanes.upload_files import UPLOAD_FILES
from battles.lanes.validation import Request

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """An executed verb: what the agent is told, what it aimed at, and a picture of its own (``zoom``)."""

    result: ActionResult
    target: Mapping[str, Any] | None = None
    picture: FrameShot | None = None


async def perform(browser: LaneBrowser, request: Request) -> Done:
    """Execute a verb that does not end the lane, and wait until the page has come to rest.

    Raises:
        PageHung: the page answers nothing any more.
        BrowserGone: the browser itself is gone.
    """
    browser.aimed_at = None
    browser.drop_early_picture()
    outcome = await _guarded(browser, request)
    if request.verb.name not in _AT_REST:
        await browser.settle()
    if browser.incidents.count("dialog_flood"):
        outcome = failed("dialog_flood", "That did not work. Go another way.", target=outcome.target)
    papers = await browser.take_papers()
    return Done(_result(browser, outcome, papers), outcome.target or browser.aimed_at, outcome.picture)


#: Verbs that change nothing, after which there is nothing to wait for.
_AT_REST = frozenset({"observe", "zoom", "read", "wait"})

#: Verbs by which an agent may ask a page for another one.
_MAY_LEAD_ON = frozenset({"click", "drag", "type", "press", "select", "upload"})


async def _guarded(browser: LaneBrowser, request: Request) -> Outcome:
    tab = await browser.front()
    tab.waiting_for.clear()
    if request.verb.name in _MAY_LEAD_ON:
        tab.documents.grant()
    try:
        return await _VERBS[request.verb.name](browser, request.arguments)
    except (CallTimedOut, TabCrashed, TabClosed, DocumentReplaced) as trouble:
        return await _page_trouble(browser, tab, trouble)
    except PlaywrightError as error:
        return failed("browser_refused", f"The browser refused: {first_line(error)}")


async def _page_trouble(browser: LaneBrowser, tab: Tab, trouble: Exception) -> Outcome:
    if isinstance(trouble, CallTimedOut):
        await browser.judge_silence(tab)
        return failed("timed_out", f"It did not come back in time: {trouble}.")
    if isinstance(trouble, TabCrashed):
        await browser.revive(tab)
        return failed("tab_crashed", "The page crashed.")
    return Outcome("Done; the page is gone meanwhile.")


def _result(browser: LaneBrowser, outcome: Outcome, papers: str) -> ActionResult:
    return ActionResult(
        ok=outcome.ok,
        message=outcome.message,
        code=outcome.code,
        text=outcome.text or papers,
        changes=browser.incidents.take(),
    )


def _missed(missed: Missed) -> Outcome:
    return failed("not_found", missed.message, target=missed.target)


async def _click(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    at = await pointer.aim(browser, arguments)
    if isinstance(at, Missed):
        return _missed(at)
    count = arguments.get("count", 1)
    await pointer.click(browser, at, arguments.get("button", "left"), count, arguments.get("modifiers", ()))
    if at.facts.get("kind") == "file":
        await _chooser(browser)
    return Outcome(f"Clicked {at.words}.{_hint(at)}", target=at.target)


def _hint(at: Aim) -> str:
    if kind := NATIVE_PICKERS.get(at.facts.get("kind", "")):
        return f" Its picker takes no clicks: type the value, for example {kind}."
    if at.facts.get("state", {}).get("disabled"):
        return " It is disabled."
    return ""


async def _hover(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    at = await pointer.aim(browser, arguments)
    if isinstance(at, Missed):
        return _missed(at)
    await pointer.hover(browser, at)
    return Outcome(f"The pointer is on {at.words}.", target=at.target)


async def _drag(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    points = [(x, y) for x, y in arguments.get("path", ())]
    ends: dict[str, Aim] = {}
    for key in ("ref", "to_ref"):
        if key in arguments:
            at = await pointer.aim(browser, arguments, key)
            if isinstance(at, Missed):
                return _missed(at)
            ends[key] = at
    if "ref" in ends:
        points.insert(0, (ends["ref"].x, ends["ref"].y))
    if "to_ref" in ends:
        points.append((ends["to_ref"].x, ends["to_ref"].y))
    start = ends.get("ref") or await pointer.aim(browser, {"x": points[0][0], "y": points[0][1]})
    await pointer.drag(browser, points, arguments.get("modifiers", ()))
    target = start.target
    return Outcome(f"Dragged from {points[0]} to {points[-1]}.", target={**target, "path": [list(p) for p in points]})


async def _scroll(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    where = arguments if "x" in arguments or "ref" in arguments else {**arguments, **pointer.centre()}
    at = await pointer.aim(browser, where)
    if isinstance(at, Missed):
        return _missed(at)
    dx, dy = arguments.get("dx", 0), arguments.get("dy", 0)
    await pointer.scroll(browser, at, dx, dy)
    return Outcome(f"Turned the wheel by ({dx}, {dy}) over {at.words}.", target=at.target)


async def _type(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    target = None
    if "x" in arguments or "ref" in arguments:
        at = await pointer.aim(browser, arguments)
        if isinstance(at, Missed):
            return _missed(at)
        if at.facts.get("kind") in NATIVE_PICKERS:
            await reading.ask_at(browser, at, "focusField")
        else:
            await pointer.click(browser, at, "left", 1, ())
        target = at.target
    if arguments.get("clear"):
        await keyboard.clear_field(browser)
    if not await keyboard.enter_value(browser, arguments["text"]):
        await keyboard.type_text(browser, arguments["text"])
    field = await keyboard.focused(browser)
    if target is None and field is not None and field["editable"]:
        target = {"role": field["role"], "name": field["name"], **pointer.asked_for(field)}
    if arguments.get("enter"):
        await keyboard.press(browser, "Enter", 1, 0)
    typed = f"Typed {len(arguments['text'])} characters{' and Enter' if arguments.get('enter') else ''}."
    return Outcome(f"{typed} {keyboard.field_in_words(field)}".strip(), target=target)


async def _press(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    repeat = arguments.get("repeat", 1)
    instead = await keyboard.press(browser, arguments["keys"], repeat, arguments.get("hold_ms", 0))
    times = f" {repeat} times" if repeat > 1 else ""
    hint = f" There is no browser window that would answer; use {instead}." if instead else ""
    return Outcome(f"Pressed {arguments['keys']}{times}.{hint}")


async def _select(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    at = await pointer.aim(browser, arguments)
    if isinstance(at, Missed):
        return _missed(at)
    answer = await reading.ask_at(browser, at, "choose", arguments["option"])
    if answer.get("nolist"):
        return failed("not_found", f"{at.words} is no drop-down list; click it and choose.", target=at.target)
    if answer.get("disabled"):
        return failed("not_usable", "The list or that option is disabled.", target=at.target)
    if answer.get("nooption"):
        listed = ", ".join(repr(option) for option in answer["options"])
        return failed("not_found", f"There is no such option. The options are: {listed}.", target=at.target)
    return Outcome(f"Chose {answer['chosen']!r}.", target=at.target)


async def _upload(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    tab = await browser.front()
    target = None
    if "x" in arguments or "ref" in arguments:
        at = await pointer.aim(browser, arguments)
        if isinstance(at, Missed):
            return _missed(at)
        target = at.target
        tab.chooser = None
        await pointer.click(browser, at, "left", 1, ())
        await _chooser(browser)
    if tab.chooser is None:
        return failed("not_found", "No file chooser came up: point at a file input.", target=target)
    chooser, tab.chooser = tab.chooser, None
    file = UPLOAD_FILES[arguments["file"]]
    payload = {"name": file.name, "mimeType": file.mime, "buffer": file.content}
    await tab.call(chooser.set_files(payload), "handing over a file")  # type: ignore[arg-type]  # a FilePayload by shape
    return Outcome(f"Gave it {file.name} ({len(file.content)} bytes).", target=target)


async def _chooser(browser: LaneBrowser) -> None:
    """Wait, within its bound, until the chooser of a clicked file input has been caught."""
    tab = await browser.front()
    by = time.monotonic() + browser.bounds.chooser
    while tab.chooser is None and time.monotonic() < by:
        await asyncio.sleep(LOOK_EVERY)


async def _wait(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    await asyncio.sleep(arguments["seconds"])
    return Outcome(f"Waited {arguments['seconds']:g} s.")


async def _observe(browser: LaneBrowser, arguments: Arguments) -> Outcome:
    return Outcome("Looked again.")


_VERBS: Mapping[str, Callable[[LaneBrowser, Arguments], Awaitable[Outcome]]] = {
    "navigate": going.navigate,
    "history": going.history,
    "tab": going.tab,
    "click": _click,
    "hover": _hover,
    "drag": _drag,
    "scroll": _scroll,
    "type": _type,
    "press": _press,
    "select": _select,
    "upload": _upload,
    "wait": _wait,
    "observe": _observe,
    "zoom": reading.zoom,
    "read": reading.read,
}

#: The verbs that act on the browser: all but those that end the lane.
EXECUTED = frozenset(_VERBS)
