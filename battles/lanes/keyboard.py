"""The keyboard: typing into whatever has the focus, and pressing keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from battles.lanes.browser import LaneBrowser
from battles.lanes.key_names import WINDOW_CHORDS, parse_keys, split_chord
from battles.lanes.tabs import Tab

#: Longer pieces are inserted at once: typing costs some 5 ms a character, and a lane has a clock.
TYPED_AT_MOST = 200

#: Characters typed in one bounded call; a page may do heavy work on every key.
TYPED_AT_ONCE = 20

#: Longest field value that is told back, in characters.
TOLD_BACK = 100


#: Letting go of keys after the step itself was cut: the page may be hanging, and the clock is out.
RELEASE_SECONDS = 1.0


@asynccontextmanager
async def holding(tab: Tab, keys: Sequence[str]) -> AsyncIterator[None]:
    """Keys held down for the time of a block, and let go whatever happens in it. Raises as :meth:`Tab.call`."""
    held: list[str] = []
    try:
        for key in keys:
            await tab.call(tab.page.keyboard.down(key), "holding a key")
            held.append(key)
        yield
    finally:
        for key in reversed(held):
            await tab.call(tab.page.keyboard.up(key), "letting a key go", RELEASE_SECONDS)


async def clear_field(browser: LaneBrowser) -> None:
    """Empty the field that has the focus. Raises as :meth:`Tab.call`."""
    tab = await browser.front()
    await tab.call(tab.page.keyboard.press("Control+a"), "selecting all")
    await tab.call(tab.page.keyboard.press("Delete"), "deleting")


async def type_text(browser: LaneBrowser, text: str) -> None:
    """Type text as a person would, line breaks as Enter. Raises as :meth:`Tab.call`."""
    tab = await browser.front()
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        if number:
            await tab.call(tab.page.keyboard.press("Enter"), "typing")
        await _type_line(tab, line)


async def _type_line(tab: Tab, line: str) -> None:
    if len(line) > TYPED_AT_MOST:
        await tab.call(tab.page.keyboard.insert_text(line), "inserting text")
        return
    for start in range(0, len(line), TYPED_AT_ONCE):
        await tab.call(tab.page.keyboard.type(line[start : start + TYPED_AT_ONCE]), "typing")


async def press(browser: LaneBrowser, keys: str, repeat: int, hold_ms: int) -> str:
    """Press chords in order, ``repeat`` times over; returns a hint when they are a browser window's own.

    Raises:
        CallTimedOut, TabClosed, TabCrashed, PlaywrightError: as :meth:`Tab.call`.
    """
    tab = await browser.front()
    chords = parse_keys(keys)
    for _ in range(repeat):
        for chord in chords:
            if hold_ms:
                async with holding(tab, split_chord(chord)):
                    await asyncio.sleep(hold_ms / 1000)
            else:
                await tab.call(tab.page.keyboard.press(chord), "pressing keys")
    return next((WINDOW_CHORDS[chord] for chord in chords if chord in WINDOW_CHORDS), "")


async def field_in_words(browser: LaneBrowser) -> str:
    """What the field with the focus holds now, as an agent is told of it. Raises as :meth:`Tab.call`."""
    tab = await browser.front()
    facts: dict[str, Any] | None = await tab.run("focusFacts")
    if facts is None:
        return "Nothing has the focus."
    if facts["foreign"]:
        return ""
    if not facts["editable"]:
        return f"The focus is on {facts['role']} {facts['name']!r}, which takes no text."
    value = facts["value"]
    return f"The field holds {value[:TOLD_BACK]!r} now."
