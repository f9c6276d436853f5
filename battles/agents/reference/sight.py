"""What an agent knows of the page in view."""

from __future__ import annotations

from dataclasses import dataclass, field

from battles.lanes.events import Element


@dataclass(slots=True)
class Sight:
    """What is known of the page in view. ``text`` is None until it was read, ``whole`` says all elements were."""

    url: str = ""
    title: str = ""
    text: str | None = None
    elements: list[Element] = field(default_factory=list)
    whole: list[Element] | None = None

    @property
    def head(self) -> str:
        return (self.text or "")[:700]
