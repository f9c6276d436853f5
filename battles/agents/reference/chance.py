"""``reference-random``: clicks, types and scrolls at random. The floor every other agent should clear."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any

from battles.agents.base import Decision, Turn
from battles.agents.reference.wording import words
from battles.lanes.events import Action, Observation

#: Chance per step to stop and say something.
STOPS = 0.06
#: Share of clicks among what it does; the rest is typing and scrolling.
CLICKS = 0.6


class RandomAgent:
    """Seeded by the instruction and the roster row's ``seed``: the same task gives the same behaviour."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._seed = str(settings.get("parameters", {}).get("seed", ""))
        self._chance: random.Random | None = None

    def next_action(self, instruction: str, observation: Observation, history: Sequence[Turn]) -> Decision:
        if self._chance is None:
            seed = hashlib.sha256(f"{self._seed}{instruction}".encode()).digest()
            self._chance = random.Random(seed)  # noqa: S311  # repeatable behaviour, not a secret
        chance = self._chance
        if observation.steps_left <= 1 or chance.random() < STOPS:
            spoken = words(observation.title) or ["nothing"]
            return Decision([Action("answer", {"text": chance.choice(spoken)})], "Stop here.")
        elements = [element for element in observation.elements if not element.state.get("disabled")]
        if elements and chance.random() < CLICKS:
            element = chance.choice(elements)
            return Decision([Action("click", {"ref": element.ref})], "Try this one.")
        fields = [element for element in elements if element.role in {"textbox", "searchbox"}]
        if fields and chance.random() < 0.5:
            text = chance.choice(words(instruction) or ["hello"])
            return Decision([Action("type", {"ref": chance.choice(fields).ref, "text": text})], "Type a word.")
        return Decision([Action("scroll", {"x": 640, "y": 400, "dx": 0, "dy": chance.choice((-400, 400))})], "Scroll.")

    def close(self) -> None:
        """Nothing to let go of."""
