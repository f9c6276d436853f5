"""``reference-explorer``: best-first search over pages by shared words; fills forms from the values it is given."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping
from typing import Any

from battles.agents.base import Decision
from battles.agents.reference.answering import Found
from battles.agents.reference.choosing import is_ordering
from battles.agents.reference.extremes import leads_on
from battles.agents.reference.policy import ReadingPolicy
from battles.agents.reference.pressing import target_scores
from battles.agents.reference.wording import mentions
from battles.lanes.events import Action, Element

#: A page seen later in a chain of links is a little less likely to be what was meant.
PER_STEP = 0.02
#: A link of so few words leads to a part of the site; one of more is an entry of a list.
SHORT_NAME = 3
#: What a link is worth that shares no word with the task: less than any that does, more than stopping.
UNKNOWN = 0.1
#: A link that scores less has hardly to do with the task.
SOME_LINK = 1.0
#: A link that scores less is worth a look at the rest of the page first.
GOOD_LINK = 2.0
#: A list is turned through when its first page seems to be about the question, and at most so far.
WORTH_TURNING, MOST_PAGES = 0.5, 6
#: A value this good is answered once nothing on the frontier looks better.
GOOD_ENOUGH = 0.5


class ExplorerAgent(ReadingPolicy):
    """Remembers every link it saw with how well it fits, and goes to the best one it has not seen."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._frontier: list[tuple[float, int, str, str]] = []
        self._known: dict[str, float] = {}
        self._order = itertools.count()
        self._turned: list[str] = []
        self._turned_links: list[str] = []
        self._seen: set[str] = set()

    def act(self) -> Decision:
        self._seen.add(self.sight.url.split("#")[0])
        self._remember()
        first = self._press_button if self.wish.manages else self._open_thing
        then = self._open_thing if self.wish.manages else self._press_button
        for choice in (
            self.fill,
            first,
            then,
            self._search,
            self.go_home,
            self._look_down,
            self._search_vaguely,
            self._go_on,
        ):
            decision = choice()
            if decision is not None:
                return decision
        return self.last_word()

    def _remember(self) -> None:
        fits = {element.ref: score for score, element in target_scores(self.aims(), self.sight.elements)}
        for element in self.sight.elements:
            href = _target(element)
            short = len(element.name.split()) <= SHORT_NAME
            score = fits.get(element.ref, UNKNOWN + PER_STEP * short)
            if element.role == "link" and href.startswith("http") and score > self._known.get(href, 0.0) + PER_STEP:
                self._known[href] = score
                worth = -score + PER_STEP * len(self._seen)
                heapq.heappush(self._frontier, (worth, next(self._order), href, element.name))

    def _open_thing(self) -> Decision | None:
        """A link that is called like a thing still to be dealt with leads to it."""
        here = self.thing_here()
        pending = self.pending()
        if here is not None and here in pending and mentions(self.sight.title, here.text):
            return None
        for _, element in self.targets():
            named = element.role == "link" and any(mentions(element.name, thing.text) for thing in pending)
            if named and (_target(element) not in self._seen or (self.acts() and self.is_new(element))):
                return self.open(element, f'"{element.name}" is what the task names.')
        return None

    # Lists of several pages

    def turns_pages(self) -> bool:
        """See the base: counting and comparing take every page of a list."""
        extreme = self.wish.superlative
        first_shown = extreme is not None and not extreme.largest and extreme.kinds[0] == "time"
        return (extreme is not None or self.wish.expects == "count") and not first_shown and not self._is_sorted()

    def _is_sorted(self) -> bool:
        """Whether the list was put in the order that the superlative asks for."""
        return any(is_ordering(used) for used in self.used)

    def turn_page(self, found: Found) -> Decision | None:
        """The next page of the list, keeping what this one says."""
        following = next((e for e in self.sight.elements if e.role == "link" and leads_on(e.name)), None)
        if following is None or len(self._turned) >= MOST_PAGES or found.score < WORTH_TURNING:
            return None
        if not self.is_new(following):
            return None
        self._turned.append(self.sight.text or "")
        self._turned_links.extend(e.name for e in self.sight.elements if e.role == "link")
        return self.press(following, "The list goes on.")

    def whole_list(self) -> Found | None:
        """See the base."""
        if not self._turned:
            return None
        found = self.consider(self._turned, self._turned_links)
        self._turned, self._turned_links = [], []
        return found

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
        if self.acts() and (self.thing_here() or self.current) is not None:
            return self.look_whole()
        unsure = not self._frontier or (len(self._seen) < 2 and -self._frontier[0][0] < GOOD_LINK)
        return self.look_whole() if unsure and self.goes_on() else None

    def _search_vaguely(self) -> Decision | None:
        """Words that are no name, once no link that is left has to do with the task."""
        left = -self._frontier[0][0] if self._frontier else 0.0
        return self.search(vaguely=True) if left < SOME_LINK and not self.wish.manages else None

    def _go_on(self) -> Decision | None:
        """The best link seen so far, wherever it was."""
        while self._frontier:
            worth, _, href, name = heapq.heappop(self._frontier)
            if href in self._seen:
                continue
            if -worth < SOME_LINK and (self.best.score >= GOOD_ENOUGH if self.wish.asks else bool(self.pressed)):
                return None
            self._check = self.wish.asks
            return self.changing(Action("navigate", {"url": href}), f'"{name}" looks best of what is left.')
        return None


def _target(element: Element) -> str:
    return str(element.state.get("href", "")).split("#")[0]
