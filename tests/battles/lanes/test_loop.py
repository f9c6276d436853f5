"""The loop of a lane on a real browser: budgets, the clock, what is charged, and every way to end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from battles.agents.base import AgentFailure, Decision, ProviderFailure, Turn
from battles.lanes.digests import page_changed
from battles.lanes.endings import Ending
from battles.lanes.events import Action, Budget, LaneOrder, Observation, StepTaken, Usage
from battles.lanes.loop import Loop, Outcome
from battles.lanes.thinking import Thinker
from battles.lanes.walls import PATIENCE
from tests.battles.lanes.conftest import Hands
from tests.battles.lanes.scripted import Scripted, act, on

pytestmark = pytest.mark.browser

ANSWER = act("answer", text="done")


class Race:
    """One loop over the hands' browser, from a page, with what it emitted."""

    def __init__(self, hands: Hands, agent: Any, path: str = "/", budget: Budget | None = None) -> None:
        self.steps: list[StepTaken] = []
        hands.go(path)
        order = LaneOrder("A", "Do it", hands.pond.url(path), "key", "scripted", {}, budget or Budget())
        self.seconds = 0.0
        self.outcome: Outcome = hands.loop.run(self._run(hands, agent, order), 60)

    async def _run(self, hands: Hands, agent: Any, order: LaneOrder) -> Outcome:
        thinker = Thinker(lambda: agent)
        try:
            await thinker.prepare()
            loop = Loop(order, hands.browser, thinker, hands.view, self.steps.append)
            self.charged = lambda: loop.charged
            outcome = await loop.run()
            self.seconds = loop.seconds()
            return outcome
        finally:
            await thinker.close()


def test_an_answer_ends_the_lane_and_is_a_step(hands: Hands) -> None:
    race = Race(hands, Scripted(on("second page"), act("answer", text="The second page.")))
    assert race.outcome == Outcome(Ending.ANSWERED, answer="The second page.")
    assert [step.action.verb for step in race.steps] == ["click", "answer"]
    assert [step.number for step in race.steps] == [1, 2]
    click = race.steps[0]
    assert click.url_before.endswith("/")
    assert click.url_after.endswith("/second")
    assert page_changed(click.page_before, click.page_after) is True
    assert click.target is not None
    assert click.target["name"] == "second page"
    assert click.frame is not None
    assert (click.frame.width, click.frame.height) == (1280, 800)
    assert race.steps[1].clock >= click.clock > 0


def test_a_click_on_nothing_changes_nothing(hands: Hands) -> None:
    race = Race(hands, Scripted(act("click", x=900, y=700), act("click", x=900, y=700), ANSWER))
    assert page_changed(race.steps[1].page_before, race.steps[1].page_after) is False


def test_giving_up_says_why(hands: Hands) -> None:
    race = Race(hands, Scripted(act("give_up", reason="There is no such thing.")))
    assert race.outcome == Outcome(Ending.GAVE_UP, detail="There is no such thing.")


def test_the_step_budget_counts_charged_steps_only(hands: Hands) -> None:
    moves = [act("observe"), act("observe"), act("wait", seconds=0.1)]
    race = Race(hands, Scripted(*moves, *moves, ANSWER), budget=Budget(steps=2))
    assert race.outcome.ending == Ending.STEP_BUDGET
    assert [step.charged for step in race.steps] == [False, False, True, False, False, True]
    assert race.charged() == 2


def test_the_third_observe_in_a_row_is_charged(hands: Hands) -> None:
    race = Race(hands, Scripted(*[act("observe")] * 4, ANSWER))
    assert [step.charged for step in race.steps] == [False, False, True, True, True]


def test_looking_for_ever_ends_by_the_budget(hands: Hands) -> None:
    race = Race(hands, Scripted(act("observe")), budget=Budget(steps=3))
    assert race.outcome.ending == Ending.STEP_BUDGET
    assert len(race.steps) == 5


def test_the_clock_runs_on_while_the_agent_thinks(hands: Hands) -> None:
    def think(observation: Observation, history: Sequence[Turn]) -> Action:
        time.sleep(3)
        return ANSWER

    race = Race(hands, Scripted(think), budget=Budget(seconds=1.0))
    assert race.outcome.ending == Ending.TIME_BUDGET
    assert 1.0 <= race.seconds < 2.0
    assert race.steps == []


def test_the_clock_cuts_a_step_that_is_under_way(hands: Hands) -> None:
    race = Race(hands, Scripted(act("wait", seconds=8)), budget=Budget(seconds=1.0))
    assert race.outcome.ending == Ending.TIME_BUDGET
    assert race.seconds < 4.0
    assert race.steps[0].result.code == "timed_out"
    assert race.steps[0].frame is not None, "the state at the end is shown all the same"


def test_one_invalid_action_is_a_charged_step_and_no_more(hands: Hands) -> None:
    agent = Scripted(act("fly"), act("click", x=5000, y=1), ANSWER)
    race = Race(hands, agent)
    assert race.outcome.ending == Ending.ANSWERED
    assert [step.result.code for step in race.steps] == ["invalid_action", "invalid_action", ""]
    assert all(step.charged for step in race.steps)
    assert agent.seen[1].last_result is not None
    assert "no verb" in agent.seen[1].last_result.message
    assert page_changed(race.steps[0].page_before, race.steps[0].page_after) is False


def test_three_invalid_actions_in_a_row_end_the_lane(hands: Hands) -> None:
    race = Race(hands, Scripted(act("fly"), act("observe"), act("fly"), AgentFailure("nothing"), Decision([]), ANSWER))
    assert race.outcome.ending == Ending.AGENT_ERROR
    assert [step.result.code for step in race.steps] == ["invalid_action", ""] + ["invalid_action"] * 3


def test_an_agent_that_breaks_is_an_invalid_action(hands: Hands) -> None:
    race = Race(hands, Scripted(ZeroDivisionError("division by zero")))
    assert race.outcome.ending == Ending.AGENT_ERROR
    assert "division" not in race.steps[0].result.message, "what an exception says may name anything"


def test_what_an_adapter_says_of_a_useless_answer_is_told(hands: Hands) -> None:
    race = Race(hands, Scripted(AgentFailure("No call could be read.\nIt said: click(x="), AgentFailure("x" * 500)))
    said = "Nothing usable came out: No call could be read. It said: click(x=. Choose one of the verbs."
    assert race.steps[0].result.message == said
    assert race.steps[1].result.message == f"Nothing usable came out: {'x' * 200}. Choose one of the verbs."


def test_an_agents_own_timeout_is_not_the_lanes(hands: Hands) -> None:
    race = Race(hands, Scripted(TimeoutError(), ANSWER))
    assert race.outcome.ending == Ending.ANSWERED


def test_a_provider_that_is_down_ends_the_lane_as_such(hands: Hands) -> None:
    race = Race(hands, Scripted(ProviderFailure("529 overloaded")))
    assert race.outcome == Outcome(Ending.PROVIDER_ERROR, detail="529 overloaded")


@pytest.mark.parametrize(("lost", "ending"), [(0.05, Ending.TIME_BUDGET), (0.5, Ending.PROVIDER_ERROR)])
def test_time_lost_to_the_provider_is_not_the_agents_failure(hands: Hands, lost: float, ending: Ending) -> None:
    agent = Scripted(act("wait", seconds=0.3))
    agent.provider_seconds = lost  # type: ignore[attr-defined]
    race = Race(hands, agent, budget=Budget(seconds=1.0))
    assert race.outcome.ending == ending


def test_a_batch_runs_in_order_and_stops_at_the_first_failure(hands: Hands) -> None:
    batch = Decision(
        [act("click", x=40, y=90), act("click", ref="ref_999"), act("answer", text="never")],
        reasoning="all at once",
        usage=Usage(input_plain=10, output=3),
        model_called=True,
    )
    race = Race(hands, Scripted(batch, ANSWER))
    assert [step.action.verb for step in race.steps] == ["click", "click", "answer"]
    assert race.steps[1].result.code == "not_found"
    assert race.outcome.answer == "done"
    assert [step.model_called for step in race.steps] == [True, False, False], "a call is booked once"
    assert race.steps[0].usage == Usage(input_plain=10, output=3)
    assert race.steps[1].usage is None


def test_a_batch_ends_with_the_budget(hands: Hands) -> None:
    race = Race(hands, Scripted(Decision([act("wait", seconds=0.1)] * 5)), budget=Budget(steps=2))
    assert len(race.steps) == 2
    assert race.outcome.ending == Ending.STEP_BUDGET


def test_the_agent_is_shown_the_page_the_result_and_what_is_left(hands: Hands) -> None:
    agent = Scripted(on("second page"), ANSWER)
    Race(hands, agent, budget=Budget(steps=7, seconds=60))
    first, second = agent.seen
    assert first.screenshot.startswith(b"\xff\xd8")
    assert first.screenshot_mime == "image/jpeg"
    assert first.last_result is None
    assert (first.steps_left, second.steps_left) == (7, 6)
    assert 0 < second.seconds_left < first.seconds_left <= 60
    assert second.title == "second"
    assert second.last_result is not None
    assert second.last_result.ok
    assert [turn.action.verb for turn in agent.histories[1]] == ["click"]


def test_a_zoom_is_the_next_screenshot_and_not_the_frame(hands: Hands) -> None:
    agent = Scripted(act("zoom", x0=0, y0=0, x1=160, y1=100), act("observe"), ANSWER)
    race = Race(hands, agent)
    assert race.steps[0].frame is not None
    assert agent.seen[1].screenshot != race.steps[0].frame.image
    assert agent.seen[2].screenshot == race.steps[1].frame.image  # type: ignore[union-attr]


def test_a_new_tab_is_told_in_words_too(hands: Hands) -> None:
    agent = Scripted(on("new tab"), ANSWER)
    race = Race(hands, agent, "/popups")
    assert race.steps[0].tabs == 2
    assert agent.seen[1].last_result is not None
    assert "new tab t2" in agent.seen[1].last_result.message


def test_a_hanging_page_ends_the_lane_as_the_agents_doing(hands: Hands) -> None:
    race = Race(hands, Scripted(on("Hang"), ANSWER), "/hang")
    assert race.outcome.ending == Ending.PAGE_HUNG
    assert race.steps[0].result.code == "page_hung"
    assert race.steps[0].target is not None
    assert race.steps[0].target["name"] == "Hang"
    assert race.steps[0].frame is None
    assert race.steps[0].page_after == ""


def test_a_lane_that_cannot_leave_a_bot_wall_is_blocked(hands: Hands) -> None:
    race = Race(hands, Scripted(act("wait", seconds=0.1)), "/wall")
    assert race.outcome.ending == Ending.BLOCKED_BY_SITE
    assert len(race.steps) == PATIENCE
    assert {step.wall for step in race.steps} == {"cloudflare"}


def test_giving_up_at_a_bot_wall_is_the_sites_doing(hands: Hands) -> None:
    race = Race(hands, Scripted(act("wait", seconds=0.1), act("give_up", reason="blocked")), "/wall")
    assert race.outcome.ending == Ending.BLOCKED_BY_SITE


def test_a_wall_that_is_left_in_time_is_no_ending(hands: Hands) -> None:
    away = act("navigate", url=hands.pond.url("/"))
    race = Race(hands, Scripted(act("wait", seconds=0.1), away, ANSWER), "/wall")
    assert race.outcome.ending == Ending.ANSWERED
    assert [step.wall for step in race.steps] == ["cloudflare", "", ""]


def test_what_lies_over_the_page_is_recorded(hands: Hands) -> None:
    race = Race(hands, Scripted(act("wait", seconds=0.1), on("Accept"), ANSWER), "/banner")
    assert [step.overlay for step in race.steps[:2]] == ["fixed", ""]


def test_refusals_of_the_proxy_are_on_the_step_in_which_they_happened(make_hands: Callable[..., Hands]) -> None:
    waiting = [{"host": "10.0.0.1", "port": 80, "reason": "private"}]

    def drain() -> list[dict[str, Any]]:
        taken = list(waiting)
        waiting.clear()
        return taken

    hands = make_hands(drain_refusals=drain)
    hands.browser.take_refusals()
    waiting.append({"host": "10.0.0.2", "port": 80, "reason": "private"})
    race = Race(hands, Scripted(act("wait", seconds=0.1), act("wait", seconds=0.1), ANSWER))
    assert [refusal["host"] for refusal in race.steps[0].refusals] == ["10.0.0.2"]
    assert list(race.steps[1].refusals) == []
