"""The keyboard: typing into whatever has the focus, and pressing keys."""

from __future__ import annotations

import asyncio
import itertools
import re
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
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


#: A date, a time, both, a month, a week or a colour, as HTML writes them.
_PICKED_VALUE = re.compile(r"#[0-9a-fA-F]{6}|\d{4}-(?:\d\d|W\d\d)(?:-\d\d(?:[Tt ][\d:.]+)?)?|\d\d:\d\d(?::[\d.]+)?")

#: Letting go of keys after the step itself was cut: the page may be hanging, and the clock is out.
RELEASE_SECONDS = 1.0


#: DevTools' bits for the modifiers held while a key goes down.
_MODIFIER_BITS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

#: From here on Unicode holds arrows, pictures and the scripts that are written with an input method: no layout's keys.
_NO_KEYS_FROM = "\u2190"


@asynccontextmanager
async def holding(tab: Tab, keys: Sequence[str]) -> AsyncIterator[None]:
    """Keys held down for the time of a block, and let go whatever happens in it. Raises as :meth:`Tab.call`."""
    held: list[str] = []
    try:
        for key in keys:
            await _down(tab, key, held)
            held.append(key)
        yield
    finally:
        for key in reversed(held):
            await _up(tab, key)


def _is_on_the_layout(key: str) -> bool:
    """Whether the driver's own (American) layout has the key; it refuses all others."""
    return len(key) > 1 or key.isascii()


def _has_a_key(character: str) -> bool:
    """Whether some layout has a key for a character: a letter, number or sign, and no mark to combine."""
    return character < _NO_KEYS_FROM and unicodedata.category(character)[0] in "LNPS"


async def _down(tab: Tab, key: str, held: Sequence[str] = ()) -> None:
    if _is_on_the_layout(key):
        await tab.call(tab.page.keyboard.down(key), "holding a key")
        return
    # As a layout that has the key does it. Pages that listen for keys see it; a chord writes nothing.
    writes = {} if {"Alt", "Control", "Meta"} & set(held) else {"text": key, "unmodifiedText": key}
    bits = sum(_MODIFIER_BITS.get(each, 0) for each in held)
    await tab.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "modifiers": bits, **writes})


async def _up(tab: Tab, key: str) -> None:
    if _is_on_the_layout(key):
        await tab.call(tab.page.keyboard.up(key), "letting a key go", RELEASE_SECONDS)
    else:
        await tab.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})


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
    for way, run in itertools.groupby(line, _way):
        await way(tab, "".join(run))


async def _by_keys(tab: Tab, text: str) -> None:
    for start in range(0, len(text), TYPED_AT_ONCE):
        await tab.call(tab.page.keyboard.type(text[start : start + TYPED_AT_ONCE]), "typing")


async def _by_foreign_keys(tab: Tab, text: str) -> None:
    for character in text:
        await _down(tab, character)
        await _up(tab, character)


async def _by_input_method(tab: Tab, text: str) -> None:
    # All at once, as an input method commits it: no page sees half of a picture or of a syllable.
    await tab.call(tab.page.keyboard.insert_text(text), "inserting text")


def _way(character: str) -> Callable[[Tab, str], Awaitable[None]]:
    if character.isascii():
        return _by_keys
    return _by_foreign_keys if _has_a_key(character) else _by_input_method


async def enter_value(browser: LaneBrowser, text: str) -> bool:
    """Give a date, time or colour field in focus its value, when ``text`` is one as HTML writes it.

    Such fields take keys in the order of a locale, and colours take none at all. Raises as :meth:`Tab.run`.
    """
    if not _PICKED_VALUE.fullmatch(text.strip()):
        return False
    tab = await browser.front()
    return bool(await tab.run("enterValue", text))


async def press(browser: LaneBrowser, keys: str, repeat: int, hold_ms: int) -> str:
    """Press chords in order, ``repeat`` times over; returns a hint when they are a browser window's own.

    Raises:
        CallTimedOut, TabClosed, TabCrashed, PlaywrightError: as :meth:`Tab.call`.
    """
    tab = await browser.front()
    chords = parse_keys(keys)
    for _ in range(repeat):
        for chord in chords:
            tab.documents.grant()
            keys_of_chord = split_chord(chord)
            if hold_ms or not all(map(_is_on_the_layout, keys_of_chord)):
                async with holding(tab, keys_of_chord):
                    await asyncio.sleep(hold_ms / 1000)
            else:
                await tab.call(tab.page.keyboard.press(chord), "pressing keys")
    return next((WINDOW_CHORDS[chord] for chord in chords if chord in WINDOW_CHORDS), "")


async def focused(browser: LaneBrowser) -> dict[str, Any] | None:
    """What has the focus; ``None`` when nothing has. Raises as :meth:`Tab.call`."""
    tab = await browser.front()
    facts: dict[str, Any] | None = await tab.run("focusFacts")
    return facts


def field_in_words(facts: dict[str, Any] | None) -> str:
    """What the field with the focus holds now, as an agent is told of it."""
    if facts is None:
        return "Nothing has the focus."
    if facts["foreign"]:
        return ""
    if not facts["editable"]:
        return f"The focus is on {facts['role']} {facts['name']!r}, which takes no text."
    value = facts["value"]
    held = value if len(value) <= TOLD_BACK else f"{value[:TOLD_BACK]}…"
    return f"The field holds {held!r} now."
