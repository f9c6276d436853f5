"""What each verb does to a real page: one effect a verb, which does not hold before the verb was executed.

``test_vocabulary`` runs every entry through the loop and the executor on the real browser. A verb without an entry, or
an entry whose effect holds anyway, fails there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from battles.agents.base import Turn
from battles.lanes.endings import Ending
from battles.lanes.events import Action, Observation, StepTaken
from battles.lanes.loop import Outcome
from tests.battles.lanes.conftest import Hands
from tests.battles.lanes.scripted import Move, act, on


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a lane: the verb's step, what the agent was shown before and after it, and the lane's outcome."""

    step: StepTaken
    shown_before: bytes
    shown_next: bytes
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Effect:
    """``move`` makes the verb on the page at ``path``, after the moves ``first``; ``holds`` is what it has to bring."""

    path: str
    move: Move
    holds: Callable[[Hands, Done | None], bool]
    first: tuple[Move, ...] = ()


def _title(wanted: str) -> Callable[[Hands, Done | None], bool]:
    return lambda hands, done: hands.evaluate("document.title").startswith(wanted)


def _page(expression: str) -> Callable[[Hands, Done | None], bool]:
    return lambda hands, done: bool(hands.evaluate(expression))


def _done(holds: Callable[[Done], bool]) -> Callable[[Hands, Done | None], bool]:
    return lambda hands, done: done is not None and holds(done)


def _went_to_second(hands: Hands, done: Done | None) -> bool:
    return hands.evaluate("document.title") == "second"


def _drag_stone(seen: Observation, history: Sequence[Turn]) -> Action:
    places = {element.name: element.ref for element in seen.elements}
    return act("drag", ref=places["Stone"], to_ref=places["Hole"])


EFFECTS: Mapping[str, Effect] = {
    "navigate": Effect(
        "/", lambda seen, history: act("navigate", url=seen.url.rstrip("/") + "/second"), _went_to_second
    ),
    "history": Effect(
        "/", act("history", go="back"), _done(lambda done: done.step.title == "home"), first=(on("second page"),)
    ),
    "click": Effect("/", on("second page", "click"), _went_to_second),
    "hover": Effect("/hover", act("hover", x=40, y=15), _page("getComputedStyle(m).display === 'block'")),
    "drag": Effect("/native-drag", _drag_stone, _title("dropped stone")),
    "scroll": Effect("/nested", act("scroll", x=700, y=600, dy=300), _page("scrollY === 300")),
    "type": Effect("/type", on("Line", "type", text="typed"), _page("i.value === 'typed'")),
    "press": Effect("/key-listener", act("press", keys="Return"), _page("downs.join() === 'Enter'")),
    "select": Effect("/select", on("Letter", "select", option="Gamma"), _title("picked Gamma")),
    "upload": Effect("/upload", on("File", "upload", file="note.txt"), _title("got note.txt")),
    "wait": Effect("/", act("wait", seconds=0.4), _done(lambda done: done.step.act_ms >= 400)),
    "observe": Effect("/", act("observe"), _done(lambda done: done.step.frame is not None and not done.step.charged)),
    "zoom": Effect(
        "/",
        act("zoom", x0=0, y0=0, x1=320, y1=200),
        _done(lambda done: done.shown_next != done.shown_before),
    ),
    "read": Effect("/controls", act("read", what="text"), _done(lambda done: "Pseudo" in done.step.result.text)),
    "tab": Effect("/", act("tab", op="new"), _done(lambda done: done.step.tabs == 2)),
    "answer": Effect(
        "/", act("answer", text="42"), _done(lambda done: done.outcome == Outcome(Ending.ANSWERED, answer="42"))
    ),
    "give_up": Effect(
        "/",
        act("give_up", reason="no way"),
        _done(lambda done: done.outcome == Outcome(Ending.GAVE_UP, detail="no way")),
    ),
}
