"""Bot walls: pages by which a site keeps robots out, known by a data file of signs and nothing else.

No lane tries to get past one; a wall is recorded, and a lane that cannot leave it ends as ``blocked_by_site``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

#: The signs. Each entry is a wall's key and patterns; all patterns that an entry has must match.
SIGNS_FILE = Path(__file__).with_name("wall_signs.json")

#: Steps a lane may spend on walls in a row before it ends. Some walls let a browser pass by themselves.
PATIENCE = 5


@dataclass(frozen=True, slots=True)
class WallSign:
    """Patterns for the address, the title and the beginning of the visible text; ``None`` asks for nothing."""

    key: str
    url: re.Pattern[str] | None
    title: re.Pattern[str] | None
    text: re.Pattern[str] | None

    def matches(self, url: str, title: str, text: str) -> bool:
        pairs = ((self.url, url), (self.title, title), (self.text, text))
        return all(pattern is None or pattern.search(value) for pattern, value in pairs)


def read_signs(path: Path = SIGNS_FILE) -> tuple[WallSign, ...]:
    """The signs of a file.

    Raises:
        ValueError: an entry has no pattern, or one that is no regular expression.
    """
    signs = []
    for entry in json.loads(path.read_text(encoding="utf-8")):
        try:
            patterns = {
                field: re.compile(entry[field], re.IGNORECASE | re.DOTALL)
                for field in ("url", "title", "text")
                if field in entry
            }
        except re.error as error:
            raise ValueError(f"{path.name}: {entry['key']}: {error}") from error
        if not patterns:
            raise ValueError(f"{path.name}: {entry['key']} has no pattern")
        signs.append(WallSign(entry["key"], patterns.get("url"), patterns.get("title"), patterns.get("text")))
    return tuple(signs)


_SIGNS = read_signs()


def wall_of(url: str, title: str, text: str) -> str:
    """The key of the wall that a page is, "" for none."""
    squeezed = " ".join(text.split())
    return next((sign.key for sign in _SIGNS if sign.matches(url, title.strip(), squeezed)), "")
