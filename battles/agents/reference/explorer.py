"""``reference-explorer``: best-first search over pages by shared words; fills forms from the values it is given."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any

from battles.agents.base import Decision
from battles.agents.reference.policy import ReadingPolicy
from battles.agents.reference.pressing import target_scores
from battles.agents.reference.wording import mentions
from battles.lanes.events import Action, Element

#: A page seen later in a chain of links is a little less likely to be what was meant.
PER_STEP = 0.02
#: What a link is worth that shares no word with the task: less than any that does, more than stopping.
UNKNOWN = 0.1
#: A link that scores less is worth a look at the rest of the page first.
GOOD_LINK = 2.0
#: A value this good is answered once nothing on the frontier looks better.
GOOD_ENOUGH = 0.5


class ExplorerAgent(ReadingPolicy):
    """Remembers every link it saw with how well it fits, and goes to the best one it has not seen."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._frontier: list[tuple[float, str, str]] = []
        self._known: set[str] = set()
        self._seen: set[str] = set()

    def act(self) -> Decision:
        self._seen.add(self.sight.url.split("#")[0])
        self._remember()
        first = self._press_button if self.wish.manages else self._open_thing
        then = self._open_thing if self.wish.manages else self._press_button
        for choice in (self.fill, first, then, self._search, self.go_home, self._look_down, self._go_on):
            decision = choice()
            if decision is not None:
                return decision
        return self.last_word()

    def _remember(self) -> None:
        fits = {element.ref: score for score, element in target_scores(self.aims(), self.sight.elements)}
        for element in self.sight.elements:
            href = _target(element)
            score = fits.get(element.ref, UNKNOWN)
            if element.role == "link" and href.startswith("http") and href not in self._known:
                self._known.add(href)
                heapq.heappush(self._frontier, (-score + PER_STEP * len(self._seen), href, element.name))

    def _open_thing(self) -> Decision | None:
        """A link that is called like a thing still to be dealt with leads to it."""
        here = self.thing_here()
        pending = self.pending()
        if here is not None and here in pending and mentions(self.sight.title, here.text):
            return None
        for _, element in self.targets():
            if element.role == "link" and any(mentions(element.name, thing.text) for thing in pending):
                if _target(element) not in self._seen or (self.acts() and self.is_new(element)):
                    return self.open(element, f'"{element.name}" is what the task names.')
        return None

    def _search(self) -> Decision | None:
        return None if self.wish.manages and self._frontier else self.search()

    def _press_button(self) -> Decision | None:
        """For tasks that want something done: the button, or the link on the thing's own page, that says it."""
        if not self.acts():
            return None
        here = self.thing_here() or self.current
        for score, element in self.targets():
            leads_on = element.role == "link" and here is not None and score >= GOOD_LINK
            if element.role == "button" or leads_on:
                return self.open(element, f'"{element.name}" is what the task asks for.')
        return None

    def _look_down(self) -> Decision | None:
        """The rest of the page, when it has to do with the task or nothing better is known."""
        relevant = self.thing_here() is not None
        unsure = not self._frontier or -self._frontier[0][0] < GOOD_LINK
        return self.look_whole() if (relevant or unsure) and self.goes_on() else None

    def _go_on(self) -> Decision | None:
        """The best link seen so far, wherever it was."""
        while self._frontier:
            worth, href, name = heapq.heappop(self._frontier)
            if href in self._seen:
                continue
            if -worth < 1.0 and (self.best.score >= GOOD_ENOUGH if self.wish.asks else bool(self.pressed)):
                return None
            self._check = self.wish.asks
            return self.changing(Action("navigate", {"url": href}), f'"{name}" looks best of what is left.')
        return None


def _target(element: Element) -> str:
    return str(element.state.get("href", "")).split("#")[0]
