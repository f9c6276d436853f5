"""What a page did by itself while a step ran, collected for the step's record and told to the agent."""

from __future__ import annotations

from collections import Counter
from typing import Any

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


def in_words(change: dict[str, Any]) -> str:
    """One change as a sentence for an agent that reads only text."""
    kind = change["kind"]
    if "more" in change:
        return f"{change['more']} more of kind {kind}."
    sentences = {
        "dialog": lambda: (
            f"A dialog ({change['type']}) said {change['message']!r} and was accepted"
            + (f" with {change['default']!r}." if change.get("default") else ".")
        ),
        "dialog_flood": lambda: "The page opened dialogs without end; its tab was closed.",
        "tab_opened": lambda: f"A new tab {change['tab_id']} opened and is in front now.",
        "tab_closed": lambda: f"Tab {change['tab_id']} closed; {change['now']} is in front now.",
        "tab_refused": lambda: "The page wanted another tab; there are too many already.",
        "tab_reopened": lambda: f"The page crashed; its tab was opened again as {change['tab_id']}.",
        "download": lambda: f"The page offered the file {change['name']!r}{_size(change)}; downloads are not kept.",
        "file_chooser": lambda: "A file chooser is waiting: use upload.",
        "print": lambda: "The page asked to print; nothing was printed.",
        "fullscreen": lambda: "The page went full screen and was brought back.",
        "external_program": lambda: f"The {change['scheme']}: link wants another program; nothing was opened.",
        "load_failed": lambda: f"Loading {change['url']} failed: {change['error']}.",
        "load_stopped": lambda: "The next page did not come in time; its load was stopped.",
        "pdf": lambda: f"This is a PDF{_size(change)}: it can be seen, but its text cannot be read.",
    }
    return sentences[kind]() if kind in sentences else f"{kind}."


def _size(change: dict[str, Any]) -> str:
    return f" ({change['size']:,} bytes)" if change.get("size") else ""
