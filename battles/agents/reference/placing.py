"""Where exactly to click, and where a link leads back to."""

from __future__ import annotations

from urllib.parse import urlsplit

from battles.lanes.events import Action, Element

#: From the left edge of a native date or time field to its first part, in px.
FIRST_PART = 14


def at_its_edge(action: Action, shown: Element) -> Action:
    """Typing into a date or time begins at the part that was clicked, so the first part is."""
    rest = {key: value for key, value in action.arguments.items() if key != "ref"}
    return Action(action.verb, {"x": shown.x + FIRST_PART, "y": shown.y + shown.height // 2, **rest})


def is_home(element: Element, url: str) -> bool:
    """Whether a link leads to the first page of the site one is on, and not to where one is."""
    parts = urlsplit(str(element.state.get("href", "")))
    here = urlsplit(url)
    return element.role == "link" and parts.netloc == here.netloc and parts.path == "/" != here.path
