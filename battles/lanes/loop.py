"""The loop of a lane: observe, ask the agent, validate, act, record, until something ends it.

The clock never pauses: it runs while the agent thinks, while a page loads and while we look. Whatever is
under way when it runs out is cut.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from battles.agents.base import AgentFailure, Decision, ProviderFailure, Turn
from battles.lanes.actions import Done, perform
from battles.lanes.bounds import PageHung
from battles.lanes.browser import LaneBrowser
from battles.lanes.endings import Ending
from battles.lanes.events import Action, ActionResult, FrameShot, LaneOrder, Observation, StepTaken, Usage
from battles.lanes.incidents import in_words
from battles.lanes.thinking import Thinker
from battles.lanes.validation import Invalid, Request, validate
from battles.lanes.viewing import View
from battles.lanes.vocabulary import FREE_OBSERVES
from battles.lanes.walls import PATIENCE, wall_of

#: Invalid results in a row that end a lane: one is a slip, three are a fault.
INVALID_IN_A_ROW = 3

#: A lane that ran out of time with more than this share of it lost to its provider did not fail by itself.
PROVIDER_SHARE = 0.1

#: After the clock has run out the page is looked at once more, for this long: its state is what judges see.
LAST_LOOK = 2.0

#: A verb nobody defined, as it is written down: long enough to tell what was meant.
LONGEST_VERB = 60

#: What an adapter says of an answer it could not use, as it is written down, in characters.
LONGEST_COMPLAINT = 200


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the loop ended."""

    ending: Ending
    answer: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Thought:
    """What a decision cost; booked on the first step that comes of it."""

    reasoning: str = ""
    model_ms: int = 0
    model_called: bool = False
    usage: Usage | None = None


class Clock:
    """The lane's wall clock, in seconds since both lanes started."""

    def __init__(self, seconds: float) -> None:
        self._began = time.monotonic()
        self._seconds = seconds

    def now(self) -> float:
        return time.monotonic() - self._began

    def left(self) -> float:
        return self._seconds - self.now()


class Loop:
    """One lane's loop over a started browser. ``charged`` counts the steps on the budget."""

    def __init__(
        self,
        order: LaneOrder,
        browser: LaneBrowser,
        thinker: Thinker,
        first: View,
        emit: Callable[[StepTaken], None],
    ) -> None:
        self._order = order
        self._browser = browser
        self._thinker = thinker
        self._view = first
        self._emit = emit
        self._clock = Clock(order.budget.seconds)
        self._history: list[Turn] = []
        self._last: ActionResult | None = None
        self._picture: FrameShot | None = None
        self._rows = 0
        self._free_observes = 0
        self._invalid = 0
        self._on_walls = 0
        self.charged = 0

    def seconds(self) -> float:
        return self._clock.now()

    async def run(self) -> Outcome:
        """Race until the end.

        Raises:
            BrowserGone: the browser is gone; ours, not the agent's.
        """
        while True:
            if self._clock.left() <= 0:
                return self._time_over()
            began = time.monotonic()
            try:
                decision = await self._thinker.decide(
                    self._order.instruction, self._observation(), tuple(self._history), self._clock.left()
                )
            except ProviderFailure as failure:
                return Outcome(Ending.PROVIDER_ERROR, detail=str(failure)[:500])
            except Exception as failure:
                if self._clock.left() <= 0:
                    return self._time_over()
                over = self._nothing_usable(failure, _milliseconds(began))
            else:
                over = await self._carry_out(decision, _milliseconds(began))
            if over is not None:
                return over

    def _observation(self) -> Observation:
        view = self._view
        picture = self._picture or view.frame
        return Observation(
            screenshot=picture.image,
            screenshot_mime=picture.mime,
            url=view.url,
            title=view.title,
            tabs=view.tabs,
            elements=view.elements,
            last_result=self._last,
            steps_left=self._order.budget.steps - self.charged,
            seconds_left=max(0.0, self._clock.left()),
        )

    def _nothing_usable(self, failure: Exception, model_ms: int) -> Outcome | None:
        what = type(failure).__name__
        # An adapter's own words are safe to show; what any other exception says may name anything.
        if isinstance(failure, AgentFailure) and (words := " ".join(str(failure).split())):
            what = words[:LONGEST_COMPLAINT]
        message = f"Nothing usable came out: {what.rstrip('.')}. Choose one of the verbs."
        return self._invalid_step(Action("", {}), message, Thought(model_ms=model_ms, model_called=True))

    async def _carry_out(self, decision: Decision, model_ms: int) -> Outcome | None:
        thought = Thought(decision.reasoning, model_ms, decision.model_called, decision.usage)
        if not decision.actions:
            return self._invalid_step(Action("", {}), decision.complaint or "No verb was chosen. Choose one.", thought)
        for action in decision.actions:
            over = await self._step(action, thought)
            if over is not None or (self._last is not None and not self._last.ok):
                return over
            if self._clock.left() <= 0:
                return self._time_over()
            thought = Thought()
        return None

    async def _step(self, action: Action, thought: Thought) -> Outcome | None:
        request = validate(action)
        if isinstance(request, Invalid):
            return self._invalid_step(action, request.message, thought)
        self._invalid = 0
        if request.verb.terminal:
            return self._terminal_step(action, request, thought)
        charged = self._charges(request)
        before = self._view
        began = time.monotonic()
        done, hung = await self._perform(request)
        act_ms = _milliseconds(began)
        began = time.monotonic()
        after, hung_looking = (None, hung) if hung else await self._look()
        self._picture = done.picture
        self._record(action, done, thought, before, after, charged, act_ms, _milliseconds(began))
        if after is not None:
            self._view = after
        if hung or hung_looking:
            return Outcome(Ending.PAGE_HUNG, detail=hung or hung_looking)
        return self._over_after_step(charged)

    async def _perform(self, request: Request) -> tuple[Done, str]:
        """What the verb did, and why the lane is over when the page hangs."""
        try:
            async with asyncio.timeout(max(0.0, self._clock.left())):
                return await perform(self._browser, request), ""
        except TimeoutError:
            return self._cut_short("timed_out", "The time ran out during this step."), ""
        except PageHung as hung:
            return self._cut_short("page_hung", str(hung)), str(hung)

    def _cut_short(self, code: str, message: str) -> Done:
        changes = self._browser.incidents.take()
        return Done(ActionResult(False, message, code, changes=changes), self._browser.aimed_at)

    async def _look(self) -> tuple[View | None, str]:
        try:
            async with asyncio.timeout(max(LAST_LOOK, self._clock.left())):
                return await self._browser.observe(), ""
        except TimeoutError:
            return None, ""
        except PageHung as hung:
            return None, str(hung)

    def _charges(self, request: Request) -> bool:
        """Whether the step is on the budget: everything is, but the first observes in a row."""
        if request.verb.name != "observe":
            self._free_observes = 0
            return True
        self._free_observes += 1
        return self._free_observes > FREE_OBSERVES

    def _terminal_step(self, action: Action, request: Request, thought: Thought) -> Outcome:
        name = request.verb.name
        words = str(request.arguments["text" if name == "answer" else "reason"])
        message = "Answered." if name == "answer" else "Gave up."
        self._record(action, Done(ActionResult(True, message)), thought, self._view, self._view, True, 0, 0)
        if name == "answer":
            return Outcome(Ending.ANSWERED, answer=words)
        if self._on_walls:
            return Outcome(Ending.BLOCKED_BY_SITE, detail=words)
        return Outcome(Ending.GAVE_UP, detail=words)

    def _invalid_step(self, action: Action, message: str, thought: Thought) -> Outcome | None:
        self._invalid += 1
        self._free_observes = 0
        result = ActionResult(False, message, "invalid_action")
        self._record(action, Done(result), thought, self._view, self._view, True, 0, 0)
        if self._invalid >= INVALID_IN_A_ROW:
            return Outcome(Ending.AGENT_ERROR, detail=f"{self._invalid} invalid actions in a row; the last: {message}")
        return self._over_after_step(charged=True)

    def _over_after_step(self, charged: bool) -> Outcome | None:
        on_wall = self._wall(self._view)
        self._on_walls = self._on_walls + charged if on_wall else 0
        if self._on_walls >= PATIENCE:
            return Outcome(Ending.BLOCKED_BY_SITE, detail=f"{self._on_walls} steps in a row on a bot wall ({on_wall})")
        if self.charged >= self._order.budget.steps:
            return Outcome(Ending.STEP_BUDGET)
        return None

    def _time_over(self) -> Outcome:
        lost = self._thinker.provider_seconds
        if lost > PROVIDER_SHARE * self._order.budget.seconds:
            return Outcome(Ending.PROVIDER_ERROR, detail=f"{lost:.0f} s were lost to the provider's limits and outages")
        return Outcome(Ending.TIME_BUDGET)

    def _wall(self, view: View) -> str:
        return wall_of(view.url, view.title, view.start_text)

    def _record(
        self,
        action: Action,
        done: Done,
        thought: Thought,
        before: View,
        after: View | None,
        charged: bool,
        act_ms: int,
        observe_ms: int,
    ) -> None:
        self._rows += 1
        self.charged += charged
        late = self._browser.incidents.take()
        result = _with_changes(done.result, [*done.result.changes, *late])
        self._last = result
        url = after.url if after else before.url
        self._history.append(Turn(action=action, reasoning=thought.reasoning, result=result, url=url))
        self._emit(
            StepTaken(
                slot=self._order.slot,
                number=self._rows,
                action=_as_written(action),
                reasoning=thought.reasoning,
                result=result,
                charged=charged,
                frame=after.frame if after else None,
                url_before=before.url,
                url_after=url,
                title=after.title if after else before.title,
                tabs=len(after.tabs) if after else len(before.tabs),
                page_before=before.digest,
                page_after=after.digest if after else "",
                target=done.target,
                refusals=self._browser.take_refusals(),
                observe_ms=observe_ms,
                model_ms=thought.model_ms,
                act_ms=act_ms,
                clock=self._clock.now(),
                model_called=thought.model_called,
                usage=thought.usage,
                overlay=after.overlay if after else "",
                wall=self._wall(after) if after else "",
            )
        )


def _with_changes(result: ActionResult, changes: list[Mapping[str, Any]]) -> ActionResult:
    """The result with what the page did by itself, as data and, for agents that read only text, in words."""
    told = " ".join(in_words(change) for change in changes)
    return ActionResult(
        ok=result.ok,
        message=f"{result.message} {told}".strip(),
        code=result.code,
        text=result.text,
        changes=tuple(changes),
    )


def _as_written(action: Action) -> Action:
    """The action as it goes into the record, where an invented verb may be anything."""
    arguments = dict(action.arguments) if isinstance(action.arguments, Mapping) else {"arguments": action.arguments}
    return Action(str(action.verb)[:LONGEST_VERB], arguments)


def _milliseconds(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
