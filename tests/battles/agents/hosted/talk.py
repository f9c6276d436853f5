"""A lane without a browser: asks an agent, validates what it wants as a lane does, and says that it was done."""

from __future__ import annotations

from typing import Any

from battles.agents.base import Decision, Turn
from battles.agents.hosted.agent import HostedAgent
from battles.lanes.events import Action, ActionResult, Element, Observation, Tab
from battles.lanes.validation import Invalid, validate

TASK = "Find the price of the blue kettle."

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def observation(**changed: Any) -> Observation:
    """What an agent sees, by default a page with one button."""
    seen: dict[str, Any] = {
        "screenshot": PNG,
        "screenshot_mime": "image/png",
        "url": "http://shop.test/",
        "title": "Shop",
        "tabs": (Tab("t1", "Shop", "http://shop.test/", True),),
        "elements": (Element("ref_1", "button", "Search", 10, 20, 80, 30),),
        "last_result": None,
        "steps_left": 30,
        "seconds_left": 300.0,
    }
    return Observation(**{**seen, **changed})


class Talk:
    """``step`` asks once; ``outcomes`` are what verbs come to, by default that they worked."""

    def __init__(self, agent: HostedAgent) -> None:
        self.agent = agent
        self.history: list[Turn] = []
        self.outcomes: dict[str, ActionResult] = {}

    def step(self, **seen: Any) -> Decision:
        decision = self.agent.next_action(TASK, observation(**seen), tuple(self.history))
        if not decision.actions:
            self._note(Action("", {}), ActionResult(False, decision.complaint, "invalid_action"))
        for action in decision.actions:
            request = validate(action)
            if isinstance(request, Invalid):
                result = ActionResult(False, request.message, "invalid_action")
            else:
                result = self.outcomes.get(action.verb, ActionResult(True, f"Done: {action.verb}."))
            self._note(action, result)
            if not result.ok:
                break
        return decision

    def _note(self, action: Action, result: ActionResult) -> None:
        self.history.append(Turn(action, "", result, "http://shop.test/"))

    @property
    def last(self) -> ActionResult:
        return self.history[-1].result
