"""What a page did by itself while a step ran, collected for the step's record and told to the agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from battles.lanes.load_errors import meaning

#: Of one kind, this many are told one by one; the rest is a number. Thirty alerts are one fact, not thirty.
TOLD_EACH = 5

#: Longest text of a page (a dialog's message, a file's name) that is passed on.
LONGEST_TEXT = 300


class Incidents:
    """Changes of the running step, in order, capped by kind."""

    def __init__(self) -> None:
        self._told: list[dict[str, Any]] = []
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, **facts: Any) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= TOLD_EACH:
            short = {key: value[:LONGEST_TEXT] if isinstance(value, str) else value for key, value in facts.items()}
            self._told.append({"kind": kind, **short})

    def count(self, kind: str) -> int:
        return self._counts[kind]

    def take(self) -> list[dict[str, Any]]:
        """Everything since the last call, with ``{"kind": ..., "more": n}`` for what was only counted."""
        told = self._told
        told += [{"kind": kind, "more": count - TOLD_EACH} for kind, count in self._counts.items() if count > TOLD_EACH]
        self._told, self._counts = [], Counter()
        return told


def in_words(change: Mapping[str, Any]) -> str:
    """One change as a sentence for an agent that reads only text."""
    kind = str(change["kind"])
    if "more" in change:
        return f"{change['more']} more of kind {kind}."
    sentence = _SENTENCES.get(kind)
    told = {"size_told": _size(change), "pages_told": _pages(change), "text_told": _text(change)}
    if kind == "load_failed":
        told["why"] = meaning(str(change.get("error", "")))[1]
    return sentence.format_map({**told, **change}) if sentence else _dialog(change)


#: What is said of each kind but dialogs; the fields are those of the change.
_SENTENCES = {
    "dialog_flood": "The page opened dialogs without end; its tab was closed.",
    "tab_opened": "A new tab {tab_id} opened and is in front now.",
    "tab_closed": "Tab {tab_id} closed; {now} is in front now.",
    "tab_refused": "The page wanted another tab; there are too many already.",
    "tab_reopened": "The page crashed; its tab was opened again as {tab_id}.",
    "download": "The page offered the file {name!r}{size_told}; downloads are not kept.",
    "file_chooser": "A file chooser is waiting: use upload.",
    "print": "The page asked to print; nothing was printed.",
    "fullscreen": "The page went full screen and was brought back.",
    "external_program": "The page asked for another program ({scheme}:); nothing was opened.",
    "load_failed": "Loading {url} failed. {why}",
    "loop_left": "The page replaced itself without end; its tab was left blank. Open another address.",
    "load_stopped": "The next page did not come in time; its load was stopped.",
    "pdf": "The file {name!r} is a PDF{size_told}{pages_told}; {text_told}.",
}


def _dialog(change: Mapping[str, Any]) -> str:
    default = f" with {change['default']!r}" if change.get("default") else ""
    return f"A dialog ({change['type']}) said {change['message']!r} and was accepted{default}."


def _size(change: Mapping[str, Any]) -> str:
    return f" ({change['size']:,} bytes)" if change.get("size") else ""


def _pages(change: Mapping[str, Any]) -> str:
    count = change.get("pages")
    return f" of {count} page{'' if count == 1 else 's'}" if count else ""


def _text(change: Mapping[str, Any]) -> str:
    if change.get("characters"):
        return "its text is given with this result"
    return "no text could be read from it"
