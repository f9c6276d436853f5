"""Words that may name an agent, on pages of operators who judge like everybody else.

Governance knows no agents. The app that does registers what takes their names out of a text; before that nothing shows.
"""

from __future__ import annotations

from collections.abc import Callable

#: Shown while nobody has said how names are taken out.
WITHHELD = "[withheld]"

_scrubbers: list[Callable[[str], str]] = []
_withheld_details: set[str] = set()


def register_scrubber(scrub: Callable[[str], str]) -> None:
    """Take names out of what operators see with this from now on."""
    if scrub not in _scrubbers:
        _scrubbers.append(scrub)


def without_names(text: str) -> str:
    """The text without names of agents; nothing of it where that is not known."""
    if not text:
        return text
    if not _scrubbers:
        return WITHHELD
    for scrub in _scrubbers:
        text = scrub(text)
    return text


def withhold_detail(action: str) -> None:
    """Keep what rows of the journal with this action say beside their reason from operators' pages of the journal."""
    _withheld_details.add(action)


def detail_is_withheld(action: str) -> bool:
    """Whether a row's detail shows only where the page knows who may see it."""
    return action in _withheld_details
