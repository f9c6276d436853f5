"""The 17 verbs as data: the one pair of hands that every agent is given.

Models receive exactly these verbs as function tools, in these words; adapters, the executor, the
action mix and the published action map all read this module, so none of them can disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH
from battles.lanes.key_names import KEY_ALIASES
from battles.lanes.upload_files import UPLOAD_FILES
from battles.lanes.vendor_map import VENDORS, VendorEntry, vendor_entries

#: Kinds of the action mix. Their shares add to one; terminal verbs are in none of them.
KINDS = ("navigate", "click", "type", "scroll", "wait", "read", "tab")

#: Verbs that end the lane.
TERMINAL = frozenset({"answer", "give_up"})

#: An observation costs nothing this many times in a row; after that it is a step like any other.
FREE_OBSERVES = 2

#: Longest text a ``read`` brings back, in characters: about 5,000 tokens.
READ_LIMIT = 20_000

#: Longest text of ``type``, ``answer`` and ``give_up``, in characters.
TEXT_LIMIT = 10_000

#: One notch of a mouse wheel in CSS px, for vocabularies that count notches.
WHEEL_NOTCH = 120

MODIFIERS = ("Alt", "Control", "Meta", "Shift")

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verb:
    """One entry of the vocabulary.

    ``arguments`` is a JSON Schema object (properties, required, no additional properties).
    ``kind`` is the verb's place in the action mix, "" for the verbs that end a lane.
    ``targets`` says that the verb takes a point or a reference.
    """

    name: str
    summary: str
    arguments: Schema
    kind: str
    targets: bool = False

    @property
    def terminal(self) -> bool:
        return self.name in TERMINAL

    @property
    def vendors(self) -> Mapping[str, VendorEntry]:
        return vendor_entries(self.name)


def _object(properties: Mapping[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _integer(description: str, low: int, high: int) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high, "description": description}


def _string(description: str, limit: int, *, shortest: int = 0) -> Schema:
    return {"type": "string", "minLength": shortest, "maxLength": limit, "description": description}


_X = _integer("Horizontal position in px from the left edge of the view.", 0, VIEWPORT_WIDTH - 1)
_Y = _integer("Vertical position in px from the top edge of the view.", 0, VIEWPORT_HEIGHT - 1)
_REF = _string("Reference of an element from the latest observation, for example ref_12.", 40, shortest=1)
_POINT = {"x": _X, "y": _Y, "ref": _REF}
_HELD: Schema = {
    "type": "array",
    "items": {"type": "string", "enum": list(MODIFIERS)},
    "maxItems": len(MODIFIERS),
    "description": "Keys held down meanwhile.",
}
#: Far more than any page is tall; keeps a wheel event a number the browser accepts.
_FARTHEST = 20_000

_ENTRIES = (
    Verb(
        "navigate",
        "Open an address in the current tab. Only http and https; a bare host name is opened with https.",
        _object({"url": _string("The address.", 2_000, shortest=1)}, ("url",)),
        "navigate",
    ),
    Verb(
        "history",
        "Go back, go forward or reload in the current tab. Keyboard shortcuts of a browser do not work here.",
        _object({"go": {"type": "string", "enum": ["back", "forward", "reload"], "description": "Which."}}, ("go",)),
        "navigate",
    ),
    Verb(
        "click",
        "Click at a point or on a referenced element: either x and y, or ref.",
        _object(
            {
                **_POINT,
                "button": {"type": "string", "enum": ["left", "right", "middle"], "description": "Default left."},
                "count": _integer("1 for a click, 2 for a double click, 3 for a triple click. Default 1.", 1, 3),
                "modifiers": _HELD,
            }
        ),
        "click",
        targets=True,
    ),
    Verb(
        "hover",
        "Move the pointer to a point or onto a referenced element and leave it there.",
        _object(_POINT),
        "click",
        targets=True,
    ),
    Verb(
        "drag",
        "Press the left button at the first point, move along the path and release at the last point. "
        "ref puts an element's middle before the path, to_ref another one's after it; 2 to 32 points in all.",
        _object(
            {
                "path": {
                    "type": "array",
                    "items": {
                        "type": "array",
                        "items": {"type": "integer", "minimum": 0, "maximum": VIEWPORT_WIDTH - 1},
                        "minItems": 2,
                        "maxItems": 2,
                    },
                    "maxItems": 32,
                    "description": "Points [x, y] in px of the view.",
                },
                "ref": _REF,
                "to_ref": _string("Reference of the element to drop on.", 40, shortest=1),
                "modifiers": _HELD,
            }
        ),
        "click",
        targets=True,
    ),
    Verb(
        "scroll",
        f"Turn the wheel over a point or a referenced element (default: the middle of the view). "
        f"One notch is {WHEEL_NOTCH} px; positive dy shows what is further down.",
        _object(
            {
                **_POINT,
                "dx": _integer("Px to the right. Default 0.", -_FARTHEST, _FARTHEST),
                "dy": _integer("Px down. Default 0.", -_FARTHEST, _FARTHEST),
            }
        ),
        "scroll",
        targets=True,
    ),
    Verb(
        "type",
        "Type text where the focus is, or first click at a point or on a referenced element. "
        "A line break is typed as Enter.",
        _object(
            {
                "text": _string("What to type.", TEXT_LIMIT),
                **_POINT,
                "clear": {"type": "boolean", "description": "Empty the field first. Default false."},
                "enter": {"type": "boolean", "description": "Press Enter afterwards. Default false."},
            },
            ("text",),
        ),
        "type",
        targets=True,
    ),
    Verb(
        "press",
        'Press a key or a chord, for example "Enter", "Control+a" or "ArrowDown".',
        _object(
            {
                "keys": _string("Key names joined by +; several chords separated by spaces.", 200, shortest=1),
                "repeat": _integer("How often. Default 1.", 1, 50),
                "hold_ms": _integer("How long to hold the keys, in ms. Default 0.", 0, 5_000),
            },
            ("keys",),
        ),
        "type",
    ),
    Verb(
        "select",
        "Choose an option of a drop-down list, which is given by a point or a reference.",
        _object(
            {
                **_POINT,
                "option": _string("The option's visible text, its value, or its number counted from 0.", 500),
            },
            ("option",),
        ),
        "type",
        targets=True,
    ),
    Verb(
        "upload",
        "Give one of the ready files to a file input: name its point or reference, or neither when a file "
        "chooser is already waiting.",
        _object(
            {
                **_POINT,
                "file": {"type": "string", "enum": list(UPLOAD_FILES), "description": "Which of the ready files."},
            },
            ("file",),
        ),
        "type",
        targets=True,
    ),
    Verb(
        "wait",
        "Wait and look again. Costs a step and the time.",
        _object(
            {"seconds": {"type": "number", "minimum": 0.1, "maximum": 10, "description": "How long."}}, ("seconds",)
        ),
        "wait",
    ),
    Verb(
        "observe",
        f"Look again without doing anything. Free {FREE_OBSERVES} times in a row, then a step.",
        _object({}),
        "read",
    ),
    Verb(
        "zoom",
        "See a part of the view enlarged in the next screenshot. Positions keep meaning the whole view.",
        _object(
            {
                "x0": _integer("Left edge.", 0, VIEWPORT_WIDTH - 1),
                "y0": _integer("Top edge.", 0, VIEWPORT_HEIGHT - 1),
                "x1": _integer("Right edge.", 1, VIEWPORT_WIDTH),
                "y1": _integer("Bottom edge.", 1, VIEWPORT_HEIGHT),
            },
            ("x0", "y0", "x1", "y1"),
        ),
        "read",
    ),
    Verb(
        "read",
        "Read the whole page, also what is out of view: its text with the values of its fields, or its interactive "
        "elements with references. ref limits it to one element; the text of a field is its whole value.",
        _object(
            {
                "what": {"type": "string", "enum": ["text", "elements"], "description": "Which."},
                "ref": _REF,
            },
            ("what",),
        ),
        "read",
    ),
    Verb(
        "tab",
        "Open a blank tab, switch to a tab or close one (default: the current one).",
        _object(
            {
                "op": {"type": "string", "enum": ["new", "switch", "close"], "description": "Which."},
                "tab_id": _string("The tab, for example t2.", 10, shortest=1),
            },
            ("op",),
        ),
        "tab",
    ),
    Verb(
        "answer",
        "End the task: it is done. The text is the answer, or says what was done.",
        _object({"text": _string("The answer.", TEXT_LIMIT)}, ("text",)),
        "",
    ),
    Verb(
        "give_up",
        "End the task: it cannot be done.",
        _object({"reason": _string("Why.", TEXT_LIMIT)}, ("reason",)),
        "",
    ),
)

VERBS: Mapping[str, Verb] = {verb.name: verb for verb in _ENTRIES}


def kind_of(verb: str) -> str:
    """The verb's kind in the action mix; "" for terminal verbs and for names that are no verb."""
    entry = VERBS.get(verb)
    return entry.kind if entry else ""


def action_map() -> dict[str, Any]:
    """The vocabulary as published: verbs, their schemas and kinds, vendor mappings and key aliases."""
    return {
        "viewport": {"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT, "device_scale": 1},
        "wheel_notch": WHEEL_NOTCH,
        "free_observes": FREE_OBSERVES,
        "kinds": list(KINDS),
        "vendors": [{"key": key, "name": name} for key, name in VENDORS.items()],
        "verbs": [
            {
                "name": verb.name,
                "summary": verb.summary,
                "arguments": verb.arguments,
                "kind": verb.kind or None,
                "terminal": verb.terminal,
                "takes_target": verb.targets,
                "vendors": {
                    key: {"calls": list(entry.calls), "note": entry.note} for key, entry in verb.vendors.items()
                },
            }
            for verb in _ENTRIES
        ],
        "key_aliases": dict(KEY_ALIASES),
        "upload_files": [
            {"name": file.name, "mime": file.mime, "bytes": len(file.content)} for file in UPLOAD_FILES.values()
        ],
    }
