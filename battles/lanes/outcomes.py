"""What a verb came to, before it is told with what the page did meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from battles.lanes.events import FrameShot


@dataclass(frozen=True, slots=True)
class Outcome:
    """``message`` is one line for the agent, ``code`` a stable word when it failed."""

    message: str
    ok: bool = True
    code: str = ""
    text: str = ""
    target: Mapping[str, Any] | None = None
    picture: FrameShot | None = None


def failed(code: str, message: str, *, target: Mapping[str, Any] | None = None) -> Outcome:
    return Outcome(message, ok=False, code=code, target=target)
