"""What a policy works with: the newest observation, the verbs as actions, and the peek.

A policy is a generator: it yields one action, and when it is resumed ``scene.observation`` shows what came of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from battles.agents.base import AgentFailure
from battles.lanes.events import Action, Element, Observation

#: Puts a script, and an argument for it, to the page itself. Only the runner of the proving ground has one to give.
Ask = Callable[..., Any]

T = TypeVar("T")

Moves = Iterator[Action]
Policy = Callable[["Scene"], Moves]
Point = tuple[float, float]

#: One element as ``read`` writes it (``battles.lanes.reading.element_line``).
_ELEMENT_LINE = re.compile(r'^\[(ref_\d+)\] (\w+) "(.*?)" \((-?\d+),(-?\d+),(\d+),(\d+)\)', re.MULTILINE)

#: Every element that a selector finds and that has a box: words, box in px of the view, attributes and what it shows.
_SPOTS = """(selector) => [...document.querySelectorAll(selector)].map((element) => {
  const box = element.getBoundingClientRect();
  const attributes = {};
  for (const { name, value } of element.attributes) attributes[name] = value;
  const style = getComputedStyle(element);
  return {
    tag: element.localName,
    text: (element.innerText ?? element.textContent ?? '').replace(/\\s+/g, ' ').trim(),
    x: box.x, y: box.y, width: box.width, height: box.height,
    value: String(element.value ?? ''),
    colour: style.backgroundColor, fill: style.fill,
    attributes,
  };
}).filter((spot) => spot.width > 0 && spot.height > 0)"""


@dataclass(frozen=True, slots=True)
class Spot:
    """Something on the page that a peek found. Box in CSS px of the view, in fractions."""

    tag: str
    text: str
    x: float
    y: float
    width: float
    height: float
    value: str
    colour: str
    fill: str
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def centre(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2

    def has(self, name: str) -> bool:
        """Whether it is of that class."""
        return name in self.attributes.get("class", "").split()


Target = Element | Spot | Point


class Scene:
    """One episode as its policy sees it."""

    def __init__(self, goal: str, observation: Observation, peek: Ask) -> None:
        self.goal = goal
        self.observation = observation
        self._peek = peek

    # What is known of the goal.

    def quoted(self, number: int = 0) -> str:
        """The goal's words between quotation marks, the first, second..."""
        found = re.findall(r'"([^"]*)"', self.goal)
        if number >= len(found):
            raise AgentFailure("the goal quotes nothing more")
        return str(found[number])

    def asked(self, pattern: str) -> tuple[str, ...]:
        """The groups of a pattern in the goal; a failure of the policy when it is not there."""
        found = re.search(pattern, self.goal)
        if found is None:
            raise AgentFailure(f"the goal is not of the form {pattern}")
        return tuple(group or "" for group in found.groups())

    # What is seen.

    def elements(self, *roles: str) -> list[Element]:
        """Elements of the observation, of any of the roles, in the page's order."""
        return [element for element in self.observation.elements if not roles or element.role in roles]

    def named(self, name: str, *roles: str) -> Element | None:
        """The first element of exactly that name."""
        return next((element for element in self.elements(*roles) if element.name.strip() == name.strip()), None)

    def button(self, name: str) -> Element:
        """The element of that name, which has to be there."""
        found = self.named(name, "button") or self.named(name)
        if found is None:
            raise AgentFailure(f"there is no {name!r} among {[element.name for element in self.elements()]}")
        return found

    def field(self, number: int = 0) -> Element:
        """The first, second... field that takes text."""
        return self.elements("textbox", "searchbox", "spinbutton", "combobox")[number]

    @property
    def told(self) -> str:
        """What the last ``read`` brought back."""
        result = self.observation.last_result
        return result.text if result else ""

    def read_through(self) -> list[Element]:
        """Elements as the last ``read_elements()`` told them: reference, role, name and box."""
        return [
            Element(ref, role, name, int(x), int(y), int(width), int(height))
            for ref, role, name, x, y, width, height in _ELEMENT_LINE.findall(self.told)
        ]

    # What is peeked at.

    def into_pane(self, pane: str, selector: str, text: str = "", number: int = 0) -> Iterator[Action]:
        """Peek, and scroll a pane when what is looked for does not show in it; then :meth:`one` finds it."""
        frame, spot = self.spot(pane), self.one(selector, text, number)
        if spot.y < frame.y or spot.y + spot.height > frame.y + frame.height:
            yield scroll(frame, round(spot.y + spot.height / 2 - frame.y - frame.height / 2))

    def one(self, selector: str, text: str = "", number: int = 0) -> Spot:
        """Peek: of what a selector finds, the one with that text (if given), or else the first, second..."""
        found = [spot for spot in self.spots(selector) if not text or spot.text == text]
        if number >= len(found):
            raise AgentFailure(f"nothing is drawn at {selector} {text}".strip())
        return found[number]

    def spots(self, selector: str) -> list[Spot]:
        """Peek: everything that a selector finds and that is drawn."""
        return [Spot(**found) for found in self._peek(_SPOTS, selector)]

    def spot(self, selector: str) -> Spot:
        """Peek: the first of them, which has to be there."""
        return self.one(selector)

    def ask(self, script: str, argument: object = None) -> Any:
        """Peek: what a script says in the page."""
        return self._peek(script, argument)


def first(found: Iterable[T]) -> T:
    """The first of what fits; a failure of the policy when nothing does."""
    for each in found:
        return each
    raise AgentFailure("nothing on the page fits")


# The verbs.


def click(target: Target, **arguments: Any) -> Action:
    return Action("click", {**_aim(target), **arguments})


def hover(target: Target) -> Action:
    return Action("hover", _aim(target))


def drag(*stops: Target, modifiers: Sequence[str] = ()) -> Action:
    path = [list(_pixel(stop)) for stop in stops]
    return Action("drag", {"path": path, **({"modifiers": list(modifiers)} if modifiers else {})})


def scroll(target: Target, dy: int, dx: int = 0) -> Action:
    return Action("scroll", {**_aim(target), "dx": dx, "dy": dy})


def type_into(target: Target | None, text: str, **arguments: Any) -> Action:
    return Action("type", {"text": text, **(_aim(target) if target is not None else {}), **arguments})


def press(keys: str, **arguments: Any) -> Action:
    return Action("press", {"keys": keys, **arguments})


def select(target: Target, option: str) -> Action:
    return Action("select", {**_aim(target), "option": option})


def wait(seconds: float) -> Action:
    return Action("wait", {"seconds": seconds})


def read_text(target: Element | None = None) -> Action:
    return Action("read", {"what": "text", **({"ref": target.ref} if target else {})})


def read_elements() -> Action:
    return Action("read", {"what": "elements"})


def centre(target: Target) -> Point:
    """The middle of a target, in px of the view."""
    if isinstance(target, Element):
        return target.x + target.width / 2, target.y + target.height / 2
    return target.centre if isinstance(target, Spot) else target


def _pixel(target: Target) -> tuple[int, int]:
    x, y = centre(target)
    return round(x), round(y)


def _aim(target: Target) -> dict[str, Any]:
    if isinstance(target, Element):
        return {"ref": target.ref}
    x, y = _pixel(target)
    return {"x": x, "y": y}
