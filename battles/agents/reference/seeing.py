"""What is on a page to act on: elements read beyond the view, and the text that each of several alike stands in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from battles.agents.reference.wording import stems, words
from battles.lanes.events import Element

_FLAGS = "checked disabled readonly required multiple selected expanded pressed focused".split()
_FACTS = "type href options more_options placeholder label current popup min max step".split()
_HEAD = re.compile(r'^\[(ref_\d+)\] (\S+) "(.*?)" \((-?\d+),(-?\d+),(-?\d+),(-?\d+)\)(.*)$')
_KEY = rf"(?:(?:not )?(?:{'|'.join([*_FLAGS, 'current'])})(?= |$)|(?:{'|'.join([*_FACTS, *_FLAGS])}): )"
_VALUE = re.compile(rf'^ = "(.*?)"(?= {_KEY}|$)')
_NEXT = re.compile(rf"(?<!\bnot) (?={_KEY})")

#: A control called so acts on what stands before it; anything else that repeats is a title of what stands behind it.
_ACTING = frozenset(
    stems(
        "reserve add cancel book view details read more select choose remove renew apply reply edit buy order open show "
        "delete change request continue see register join save withdraw extend borrow hire rent vote like report seat"
    )
)
#: A title's text goes on for at most so many lines, and an acting control's begins at most so many above it.
LONGEST_CARD = 14


def parse_elements(text: str) -> list[Element]:
    """Elements from the text that ``read`` brings back for ``what=elements``; lines that are none are left out."""
    found = []
    for line in text.splitlines():
        head = _HEAD.match(line)
        if head is None:
            continue
        ref, role, name, x, y, width, height, rest = head.groups()
        value = _VALUE.match(rest)
        state = _state(rest[value.end() :] if value else rest)
        found.append(
            Element(ref, role, name, int(x), int(y), int(width), int(height), value[1] if value else "", state)
        )
    return found


def _state(rest: str) -> Mapping[str, Any]:
    state: dict[str, Any] = {}
    for part in _NEXT.split(rest):
        key, colon, value = part.strip().partition(": ")
        if not key:
            continue
        if not colon:
            state[key.removeprefix("not ")] = not key.startswith("not ")
        else:
            state[key] = value.split(" | ") if key == "options" else value
    return state


def merged(whole: Sequence[Element], seen: Sequence[Element]) -> list[Element]:
    """All elements of the page in their order: those in view as they are now, the others as they were read.

    Positions are those of the reading; an element that came up since is put behind the one it follows.
    """
    fresh = {element.ref: element for element in seen}
    known = {element.ref: element for element in whole}
    moved = next((known[ref].y - fresh[ref].y for ref in fresh if ref in known), 0)
    after: dict[str, list[Element]] = {}
    previous = ""
    for element in seen:
        if element.ref in known:
            previous = element.ref
        else:
            after.setdefault(previous, []).append(_at(element, element.x, element.y + moved))
    ordered = list(after.get("", ()))
    for element in whole:
        now = fresh.get(element.ref)
        ordered.append(_at(now, element.x, element.y) if now else element)
        ordered.extend(after.get(element.ref, ()))
    return ordered


def _at(element: Element, x: int, y: int) -> Element:
    return Element(
        element.ref, element.role, element.name, x, y, element.width, element.height, element.value, element.state
    )


def surroundings(text: str, elements: Sequence[Element]) -> dict[str, str]:
    """Reference to the text around it, for links and buttons that are found in the page's text.

    For one in a table that is its row; for one that acts, the text since the one before it of the same name; for a
    title, the text up to the next link.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    rows = text.splitlines()
    places = _places(lines, [element for element in elements if element.role in {"link", "button"} and element.name])
    starts = sorted(set(places.values()))
    earlier: dict[str, int] = {}
    found: dict[str, str] = {}
    for element in elements:
        at = places.get(element.ref)
        if at is None:
            continue
        if "\t" in rows[at]:
            found[element.ref] = lines[at]
        elif acts_on_others(element):
            begin = max(earlier.get(element.name, -1) + 1, at - LONGEST_CARD)
            found[element.ref] = "\n".join(lines[begin : at + 1])
        else:
            stop = next((start for start in starts if start > at), len(lines))
            found[element.ref] = "\n".join(lines[at : min(stop, at + LONGEST_CARD)])
        earlier[element.name] = at
    return found


def acts_on_others(element: Element) -> bool:
    """Whether a control's name says that something is done, rather than what a thing is called."""
    spoken = words(element.name)
    return element.role == "button" or (bool(spoken) and len(spoken) <= 5 and stems(spoken[0])[0] in _ACTING)


def _places(lines: Sequence[str], elements: Sequence[Element]) -> dict[str, int]:
    """Line of each element's name, found in the elements' order."""
    places: dict[str, int] = {}
    cursor = 0
    for element in elements:
        name = " ".join(element.name.rstrip("…").split())
        whole = next((at for at in range(cursor, len(lines)) if lines[at] == name), None)
        part = next((at for at in range(cursor, len(lines)) if name in lines[at]), None)
        at = part if whole is None or (part is not None and element.role == "button" and part < whole) else whole
        if at is not None and name:
            places[element.ref] = at
            cursor = at if "\t" in lines[at] or lines[at] != name else at + 1
    return places
