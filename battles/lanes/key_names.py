"""What a model may call a key, and what the browser calls it.

Models come with the habits of X11, of browsers and of prose ("Return", "ctrl+a", "Page_Down");
the driver throws on most of them. One table serves everybody.
"""

from __future__ import annotations

from collections.abc import Sequence

MODIFIER_KEYS = frozenset({"Control", "Alt", "Meta", "Shift"})

#: Alias in lower case -> the driver's name.
KEY_ALIASES: dict[str, str] = {
    "return": "Enter",
    "enter": "Enter",
    "kp_enter": "Enter",
    "ctrl": "Control",
    "control": "Control",
    "alt": "Alt",
    "option": "Alt",
    "cmd": "Meta",
    "command": "Meta",
    "super": "Meta",
    "win": "Meta",
    "windows": "Meta",
    "meta": "Meta",
    "shift": "Shift",
    "esc": "Escape",
    "escape": "Escape",
    "backspace": "Backspace",
    "del": "Delete",
    "delete": "Delete",
    "space": "Space",
    "spacebar": "Space",
    "tab": "Tab",
    "capslock": "CapsLock",
    "caps_lock": "CapsLock",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "arrowup": "ArrowUp",
    "arrowdown": "ArrowDown",
    "arrowleft": "ArrowLeft",
    "arrowright": "ArrowRight",
    "page_up": "PageUp",
    "pageup": "PageUp",
    "pgup": "PageUp",
    "prior": "PageUp",
    "page_down": "PageDown",
    "pagedown": "PageDown",
    "pgdn": "PageDown",
    "next": "PageDown",
    "home": "Home",
    "end": "End",
    "insert": "Insert",
    "ins": "Insert",
    "minus": "-",
    "plus": "+",
    "equals": "=",
    "equal": "=",
    "comma": ",",
    "period": ".",
    "dot": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "apostrophe": "'",
    "quote": "'",
    "grave": "`",
    **{f"kp_{digit}": str(digit) for digit in range(10)},
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
}

#: Chords that a browser's own window would answer; a lane's browser has no such window.
WINDOW_CHORDS: dict[str, str] = {
    "F5": "history(go=reload)",
    "Control+r": "history(go=reload)",
    "Control+Shift+r": "history(go=reload)",
    "Alt+ArrowLeft": "history(go=back)",
    "Alt+ArrowRight": "history(go=forward)",
    "Control+l": "navigate",
    "Alt+d": "navigate",
    "Control+t": "tab(op=new)",
    "Control+n": "tab(op=new)",
    "Control+w": "tab(op=close)",
    "Control+Tab": "tab(op=switch)",
    "Control+f": "read(what=text)",
}


class UnknownKey(ValueError):
    """No key of that name."""


def parse_keys(keys: str | Sequence[str]) -> list[str]:
    """Chords in the driver's own spelling, in the order to press them.

    A list is one chord. In a string "+" joins a chord, and spaces separate chords, except where every
    part but the last is a modifier ("ctrl a"): that is one chord.

    Raises:
        UnknownKey: a name is no key.
    """
    if not isinstance(keys, str):
        return [_chord([part for key in keys for part in split_chord(key)])]
    words = keys.split() or ([" "] if keys else [])
    if not words:
        raise UnknownKey("keys is empty")
    chords = [split_chord(word) for word in words]
    single = [key_name(chord[0]) if len(chord) == 1 else "" for chord in chords]
    if len(chords) > 1 and all(name in MODIFIER_KEYS for name in single[:-1]) and single[-1] not in MODIFIER_KEYS:
        return [_chord([part for chord in chords for part in chord])]
    return [_chord(chord) for chord in chords]


def key_name(name: str) -> str:
    """The driver's name of one key.

    Raises:
        UnknownKey: there is none.
    """
    if len(name) == 1:
        return "Space" if name == " " else name
    known = KEY_ALIASES.get(name.lower())
    if known is None:
        raise UnknownKey(f"there is no key called {name[:40]!r}")
    return known


def split_chord(chord: str) -> list[str]:
    """The keys of a chord: what is around "+", where a "+" at the end is the plus key itself."""
    if chord == "+":
        return ["+"]
    if chord.endswith("++"):
        return [*chord[:-2].split("+"), "+"]
    return chord.split("+") if chord.strip() else [" "]


def _chord(parts: Sequence[str]) -> str:
    names = [key_name(part) for part in parts]
    held = [name for name in names if name in MODIFIER_KEYS]
    pressed = [name for name in names if name not in MODIFIER_KEYS]
    # A letter given in capitals with Control held means the key, not Shift and the key.
    if pressed and held and "Shift" not in held:
        pressed = [name.lower() if len(name) == 1 else name for name in pressed]
    return "+".join([*dict.fromkeys(held), *pressed])
