"""What both reading agents do alike: look at a page, answer when it fits, fill forms, say a last word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from battles.agents.base import Decision, Turn
from battles.agents.reference.answering import Found, find_answer
from battles.agents.reference.filling import FormPlan, plan_forms, search_texts
from battles.agents.reference.forms import FIELD_ROLES, is_fillable, is_search
from battles.agents.reference.givens import Given, is_made
from battles.agents.reference.instruction import Wish, subject_of, understand
from battles.agents.reference.pages import take_apart
from battles.agents.reference.placing import at_its_edge, is_home
from battles.agents.reference.pressing import ONWARD, Aims, confirmation, element_terms, is_about, target_scores
from battles.agents.reference.seeing import acts_on_others, merged, parse_elements, surroundings
from battles.agents.reference.sight import Sight
from battles.agents.reference.wording import mentions, term_set
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Action, Element, Observation

READ = Action("read", {"what": "text"})
CENTRE = {"x": VIEWPORT_WIDTH // 2, "y": VIEWPORT_HEIGHT // 2}
READ_ELEMENTS = Action("read", {"what": "elements"})
#: A value whose surroundings cover this share of the instruction's words is given as the answer at once.
SURE = 0.66
#: With this few steps or seconds left it is time to say something.
LAST_STEPS = 1
LAST_SECONDS = 6.0
#: Where something to act on is this near to the lower edge, the page is likely to go on.
NEAR_EDGE = 160
#: A page with more text than this hardly fits into the view.
LONG_TEXT = 1_200
#: Where what was put together is shown.
BASKET = frozenset({"basket"})
#: So many failed actions in a row end a plan: the page is no longer what it was made for.
FAILURES = 2


class ReadingPolicy:
    """Base of the agents that read. A subclass says in ``act`` what to do on a page that did not suffice.

    Args:
        settings: the roster row's; its parameter ``sure`` (0 to 1) replaces :data:`SURE`.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.sure = float(settings.get("parameters", {}).get("sure", SURE))
        self.wish: Wish = understand("")
        self.sight = Sight()
        self.tried: set[tuple[str, str, str]] = set()
        self.pressed: list[str] = []
        self.used: set[str] = set()
        self.handled: set[str] = set()
        self.searched: set[str] = set()
        self.best = Found("", 0.0)
        self.current: Given | None = None
        self._queue: list[Action] = []
        self._brought: set[str] = set()
        self._near: set[str] = set()
        self._fresh: dict[str, Element] = {}
        self._moved = 0
        self._sending: Element | None = None
        self._failures = 0
        self._check = False

    def next_action(self, instruction: str, observation: Observation, history: Sequence[Turn]) -> Decision:
        """See :class:`battles.agents.base.Agent`."""
        if not self.wish.text:
            self.wish = understand(instruction)
        self._take_in(observation, history)
        if observation.steps_left <= LAST_STEPS or observation.seconds_left < LAST_SECONDS:
            return self.last_word()
        if self._queue:
            return self._next("")
        if self.sight.text is None and (self.wish.asks or self._check or self._alike()):
            return Decision([READ], "Read the page.")
        if self._sending is not None:
            return self._send()
        return self._conclude() or self.act()

    def act(self) -> Decision:
        """What to do next on the page in view."""
        return self.last_word()

    def close(self) -> None:
        """Nothing to let go of."""

    # Looking

    def _take_in(self, observation: Observation, history: Sequence[Turn]) -> None:
        if observation.url != self.sight.url:
            self._new_page()
        self.sight.url, self.sight.title = observation.url, observation.title
        last = observation.last_result
        if history and last is not None:
            self._failures = 0 if last.ok else self._failures + 1
            if self._failures >= FAILURES:
                self._queue.clear()
            action = history[-1].action
            if action.verb == "read" and last.ok and action.arguments.get("what") == "text":
                self.sight.text = last.text
            elif action.verb == "read" and last.ok:
                self.sight.whole = parse_elements(last.text)
            elif action.verb == "read":
                self.sight.text, self.sight.whole = self.sight.text or "", self.sight.whole or []
        seen = list(observation.elements)
        whole = self.sight.whole or []
        self.sight.elements = merged(whole, seen) if whole else seen
        self._fresh = {element.ref: element for element in seen}
        known = [element for element in whole if element.ref in self._fresh]
        self._moved = next((element.y - self._fresh[element.ref].y for element in known), self._moved)
        self._near = set()
        if history and history[-1].action == READ_ELEMENTS:
            self._near = {element.ref for element in whole}

    def _next(self, why: str) -> Decision:
        """The next action of the plan, after a scroll where what it acts on is out of view."""
        action = self._queue[0]
        ref = str(action.arguments.get("ref", ""))
        shown = self._fresh.get(ref)
        native = action.verb == "type" and not action.arguments.get("clear")
        if not ref or shown is not None or ref in self._brought or (ref in self._near and not native):
            self._brought.discard(ref)
            self._queue.pop(0)
            if action.verb == "click" or action.arguments.get("enter"):
                self.sight.text, self.sight.whole = None, None
            return Decision([at_its_edge(action, shown) if native and shown else action], why)
        self._brought.add(ref)
        by = next((element.y for element in self.sight.elements if element.ref == ref), VIEWPORT_HEIGHT)
        down = by - self._moved - VIEWPORT_HEIGHT // 3
        return Decision([Action("scroll", {**CENTRE, "dx": 0, "dy": down or 1})], why or "Bring it into view.")

    def _do(self, actions: Sequence[Action], why: str) -> Decision:
        self._queue = list(actions)
        return self._next(why)

    def _alike(self) -> bool:
        """Whether what fits best is there more than once, so that only the text around tells which is meant."""
        if self.sight.text is not None:
            return False
        found = [(e.role, e.name) for _, e in target_scores(Aims(self.wish, self.spent()), self.sight.elements)[:12]]
        return len(found) > len(set(found))

    def _new_page(self) -> None:
        self.sight = Sight(self.sight.url, self.sight.title)
        self._moved = 0
        self._brought.clear()
        self._sending = None

    def look_whole(self) -> Decision | None:
        """All elements of the page, those out of view among them, once."""
        if self.sight.whole is not None:
            return None
        return Decision([READ_ELEMENTS], "See what else is on the page.")

    def goes_on(self) -> bool:
        """Whether the page seems to go on below what is in view."""
        lowest = max((element.y + element.height for element in self.sight.elements), default=0)
        full = lowest > VIEWPORT_HEIGHT - NEAR_EDGE or len(self.sight.text or "") > LONG_TEXT
        return self.sight.whole is None and full

    def around(self) -> dict[str, str]:
        """Text around links and buttons, where the text was read."""
        return surroundings(self.sight.text, self.sight.elements) if self.sight.text else {}

    # What the task is about

    def aims(self) -> Aims:
        onward: frozenset[str] = frozenset()
        if self.handled and not self.pending():
            onward = BASKET if self.wish.asks else ONWARD
        return Aims(self.wish, self.spent(), frozenset(self.handled), self.around(), onward)

    def thing_here(self) -> Given | None:
        """The thing of the task that the page is about: its title, or its text near the top, says so."""
        here = [thing for thing in self.wish.things if mentions(self.sight.title, thing.text)]
        if not here:
            near = f"{self.sight.head}\n" + "\n".join(e.name for e in self.sight.elements[:14] if e.role == "link")
            here = [thing for thing in self.wish.things if len(thing.text) > 3 and thing.text in near]
        return max(here, key=lambda thing: len(thing.text), default=None)

    def pending(self) -> list[Given]:
        """Things of the task that nothing has been done with yet; what has to be made first comes before them."""
        if any(is_made(given) and given.text.casefold() not in self.used for given in self.wish.givens):
            return []
        return [thing for thing in self.wish.things if thing.text not in self.handled]

    def spent(self) -> frozenset[str]:
        """Terms that lead nowhere any more: those of the things that were dealt with."""
        if self.wish.asks and not self.gathers():
            return frozenset()
        left = term_set(*(thing.text for thing in self.pending()))
        return term_set(*self.handled) - left

    def gathers(self) -> bool:
        """Whether a question can be answered only by putting things together: what they cost in all."""
        return self.wish.sum and any(thing.kind == "quoted" for thing in self.wish.things)

    def acts(self) -> bool:
        return not self.wish.asks or (self.gathers() and bool(self.pending()))

    # Forms

    def fill(self) -> Decision | None:
        """Bring the best form of the page to what the instruction says, once per page and set of values."""
        plans = self._wanted_plans()
        if not plans:
            return None
        plan = max(plans, key=lambda each: each.worth)
        if self.goes_on():
            return self.look_whole()
        return self._begin(plan)

    def _wanted_plans(self) -> list[FormPlan]:
        return [plan for plan in self._plans() if self._is_wanted(plan) and self._news(plan)]

    def _plans(self) -> list[FormPlan]:
        known = re.search(r"\b20\d\d\b", self.sight.text or "")
        about = self.thing_here() or self.current
        return plan_forms(self.wish, self.sight.elements, about, year=int(known[0]) if known else 0)

    def _news(self, plan: FormPlan) -> bool:
        """Whether the form takes something that was not tried here yet."""
        if not plan.placed:
            return False
        return any(self._key(filling.element, filling.used) not in self.tried for filling in plan.fillings) or (
            plan.form.button is not None
            and not plan.fillings
            and not plan.form.only_asks
            and self.is_new(plan.form.button)
        )

    def _key(self, element: Element, used: str) -> tuple[str, str, str]:
        return (self.place, "fill", f"{element.name}={used}")

    def _is_wanted(self, plan: FormPlan) -> bool:
        names = {given.text for given in self.wish.givens if given.kind not in {"number", "date", "time"}}
        typed = [f for f in plan.fillings if f.action.verb == "type" and (f.used in names or self.wish.asks)]
        if plan.missing and not (len(typed) > len(plan.missing)):
            return False
        button = plan.form.button
        name = element_terms(button) if button else frozenset()
        if plan.form.only_asks:
            return self._is_worth_asking(plan, typed=bool(typed))
        if self.wish.asks:
            return self.gathers() and bool(
                name & (BASKET if self.pending() else {"code", "discount", "deliver", "use"})
            )
        if button is not None and not is_about(self.aims(), button, self.sight.title, self.sight.head) and not typed:
            return False
        left = self._field_values() - self.used - plan.placed
        return not (plan.placed and not name & set(self.wish.terms) and len(plan.placed) <= 1 and left)

    def _is_worth_asking(self, plan: FormPlan, *, typed: bool) -> bool:
        """Whether a form that only shows something should be sent: it takes a value, or narrows a list down."""
        if typed or self.gathers():
            return bool(plan.placed)
        empty = any(is_search(field) and not field.value for field in plan.form.fields)
        values = {given.text.casefold() for given in self.wish.givens if given.kind != "number"}
        one = any(thing.kind == "quoted" for thing in self.wish.things)
        lists = (
            self.wish.superlative is not None or self.wish.expects == "count" or bool(values & plan.placed and not one)
        )
        return self.wish.asks and bool(plan.placed) and lists and not empty

    def _begin(self, plan: FormPlan) -> Decision:
        for filling in plan.fillings:
            self.tried.add(self._key(filling.element, filling.used))
        self.used |= plan.placed
        actions = [filling.action for filling in plan.fillings]
        if plan.form.button is None:
            return self._enter(plan, actions)
        self._sending = plan.form.button
        return self._do(actions, "Fill in what the task names.") if actions else self._send()

    def _enter(self, plan: FormPlan, actions: list[Action]) -> Decision:
        texts = [at for at, action in enumerate(actions) if action.verb == "type"]
        if texts:
            last = actions[texts[-1]]
            actions[texts[-1]] = Action("type", {**last.arguments, "enter": True})
        self._check = True
        return self._do(actions, "Fill in what the task names and send it.")

    def _send(self) -> Decision:
        """Fill what came up meanwhile, then press the form's button."""
        button = self._sending
        assert button is not None
        plan = next((p for p in self._plans() if p.form.button and p.form.button.ref == button.ref), None)
        if plan is not None:
            late = [f for f in plan.fillings if self._key(f.element, f.used) not in self.tried]
            if late:
                for filling in late:
                    self.tried.add(self._key(filling.element, filling.used))
                self.used |= plan.placed
                return self._do([filling.action for filling in late], "Fill in what came up.")
        self._sending = None
        asks = plan is not None and plan.form.only_asks
        return self.press(button, "Send the form.", acts=not asks)

    # Pressing

    @property
    def place(self) -> str:
        """The page's address without its query: a form sent from it comes back to it with another one."""
        return self.sight.url.partition("#")[0].partition("?")[0]

    def is_new(self, element: Element) -> bool:
        return self.mark_of(element) not in self.tried

    def mark_of(self, element: Element) -> tuple[str, str, str]:
        """A link is known by where it leads, anything else by its page, name and surroundings."""
        href = str(element.state.get("href", "")).partition("#")[0]
        return ("", "link", href) if href else (self.place, element.role, element.name)

    def press(self, element: Element, why: str, *, acts: bool | None = None) -> Decision:
        """Click an element and look at the page anew."""
        self.tried.add(self.mark_of(element))
        does = element.role == "button" if acts is None else acts
        if does:
            self.pressed.append(element.name)
            self._handle(element)
        self._check = element.role == "button" or self.wish.asks
        self._sending = None
        return self._do([Action("click", {"ref": element.ref})], why)

    def _handle(self, element: Element) -> None:
        near = f"{element.name}\n{self.around().get(element.ref, '')}"
        there = [thing for thing in self.pending() if mentions(near, thing.text)] if acts_on_others(element) else []
        thing = there[0] if there else self.thing_here() or self.current
        if thing is not None:
            self.handled.add(thing.text)
            self.current = None

    def changing(self, action: Action, why: str) -> Decision:
        """A decision after which the page is another one, even where its address stays."""
        self._sending = None
        return self._do([action], why)

    def open(self, element: Element, why: str) -> Decision:
        """Follow a link, remembering which thing it leads to."""
        named = [thing for thing in self.pending() if mentions(element.name, thing.text)]
        if named:
            self.current = max(named, key=lambda thing: len(thing.text))
        return self.press(element, why)

    def search(self, *, vaguely: bool = False) -> Decision | None:
        """Type the name of a thing still to be dealt with into the page's search field, once for each.

        ``vaguely`` allows words that are no name.
        """
        box = next((e for e in self.sight.elements if is_fillable(e) and is_search(e)), None)
        if box is None:
            return None
        here = self.thing_here()
        names = [thing.text for thing in self.pending() if thing != here]
        named = bool(names) or bool(subject_of(self.wish.text))
        if not named and (self.wish.things or not vaguely):
            return None
        for name, text in [(each, text) for each in names or [""] for text in search_texts(self.wish, each)]:
            if text not in self.searched:
                self.searched.add(text)
                self.current = next((thing for thing in self.pending() if thing.text == name), None)
                self._check = self.wish.asks
                typed = {"ref": box.ref, "text": text, "clear": True, "enter": True}
                return self.changing(Action("type", typed), "Search for what the task names.")
        return None

    def go_home(self) -> Decision | None:
        """The site's first page, where sites keep their search, when a thing is still to be looked for."""
        unsearched = [thing for thing in self.pending() if thing.text not in self.searched]
        if not unsearched or any(is_search(element) and is_fillable(element) for element in self.sight.elements):
            return None
        home = next((element for element in self.sight.elements if is_home(element, self.sight.url)), None)
        if home is None or not self.is_new(home):
            return None
        self.tried.add(self.mark_of(home))
        self._check = self.wish.asks
        return self.changing(Action("click", {"ref": home.ref}), "Back to the first page, to look from there.")

    def targets(self) -> list[tuple[float, Element]]:
        """Links and buttons worth pressing, best first."""
        aims = self.aims()
        found = []
        for score, element in target_scores(aims, self.sight.elements):
            if not self.is_new(element) or is_search(element) or self._leads_nowhere(element):
                continue
            if element.role == "button" and (
                not self.acts() or not is_about(aims, element, self.sight.title, self.sight.head)
            ):
                continue
            found.append((score, element))
        return found

    def _leads_nowhere(self, element: Element) -> bool:
        """Whether a link leads to the first page of the site or to the very page one is on."""
        href = str(element.state.get("href", "")).partition("#")[0]
        return is_home(element, self.sight.url) or href == self.sight.url.partition("#")[0]

    # Ending

    def last_word(self) -> Decision:
        if self.wish.asks and self.best.text:
            return Decision([Action("answer", {"text": self.best.text})], "The best that was found.")
        if self.pressed:
            return Decision([Action("answer", {"text": f"Pressed {self.pressed[-1]}."})], "Nothing is left to do.")
        return Decision([Action("give_up", {"reason": "Nothing here fits the task."})], "Nothing fits.")

    def consider(self, before: Sequence[str] = (), links: Sequence[str] = ()) -> Found | None:
        """The best answer on the page in view, read together with the pages of the same list ``before`` it."""
        page = take_apart(
            self.sight.title,
            "\n".join([*before, self._without_echo(self.sight.text or "")]),
            links=[*links, *(element.name for element in self.sight.elements if element.role == "link")],
            options=self._options(),
            controls=[element.name for element in self.sight.elements if element.role in FIELD_ROLES | {"button"}],
            filled=" ".join(element.value for element in self.sight.elements if element.value),
        )
        return find_answer(self.wish, page)

    def turns_pages(self) -> bool:
        """Whether an answer has to be looked for on every page of a list."""
        return False

    def turn_page(self, found: Found) -> Decision | None:
        """The next page of the list in view, if there is one."""
        return None

    def whole_list(self) -> Found | None:
        """The best answer over all pages of a list that was turned through."""
        return None

    def _without_echo(self, text: str) -> str:
        """The text without lines that only repeat what was searched for."""
        lines = [
            line
            for line in text.splitlines()
            if not any(f"{mark}{said}" in line for said in self.searched for mark in "\"“‘'«")
        ]
        return "\n".join(lines)

    def _options(self) -> list[str]:
        names: list[str] = []
        for element in self.sight.elements:
            names.extend(element.state.get("options", ()))
            if element.role == "radio":
                names.append(element.name)
        return names

    def _conclude(self) -> Decision | None:
        if not self.sight.text or not self._check_due():
            return None
        if self.wish.asks:
            if self.gathers() and (self.pending() or self._wanted_plans()):
                return None
            found = self.consider()
            if found is not None and self.turns_pages():
                turned = self.turn_page(found)
                if turned is not None:
                    return turned
                found = self.whole_list() or found
            if found is not None and found.score > self.best.score:
                self.best = found
            if found is not None and found.score >= self.sure:
                return Decision([Action("answer", {"text": found.text})], "The page fits the question.")
            return None
        self._check = False
        line = confirmation(self.sight.text)
        if self.pressed and line and self.is_finished(line):
            return Decision([Action("answer", {"text": line})], "The page confirms it.")
        return None

    def _check_due(self) -> bool:
        return self.wish.asks or self._check

    def is_finished(self, line: str) -> bool:
        """Whether a confirmation is the end: every thing was dealt with and every value for a field was typed."""
        if mentions(line, "basket") and "order" in self.wish.terms and not mentions(self.wish.text, "basket"):
            return False
        things = {thing.text for thing in self.wish.things if thing.kind == "quoted"}
        done = all(text in self.handled or text.casefold() in self.used for text in things)
        return done and self._field_values() <= self.used

    def _field_values(self) -> set[str]:
        """Values of the instruction that are meant for fields."""
        return {
            given.text.casefold()
            for given in self.wish.givens
            if given.kind in {"mail", "code"} or (given.kind == "quoted" and given not in self.wish.things)
        }
