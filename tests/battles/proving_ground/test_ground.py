"""Episodes on the real pages in a real Chromium: seeds, the latch, and one task for each family of verbs."""

import pytest

from battles.agents.base import Decision
from battles.proving_ground.agents import Attended
from battles.proving_ground.episode import Latch
from tests.battles.lanes.scripted import Scripted, act

pytestmark = pytest.mark.browser

#: Task by task, what of the hands it needs.
FAMILIES = {
    "click-button": "click",
    "click-checkboxes": "boxes to tick",
    "click-tab-2": "tabs",
    "click-menu": "hover",
    "drag-box": "drag with the pointer held",
    "draw-line": "a drag along a path",
    "drag-items": "a sortable list",
    "scroll-text-2": "scroll inside a pane",
    "use-slider": "keys on a focused handle",
    "enter-date": "a native picker, typed",
    "copy-paste": "chords and the clipboard",
    "choose-list": "a native list",
    "click-scroll-list": "a list of several, with a key held",
    "use-autocomplete": "completions that come late",
    "read-table": "reading the page",
    "terminal": "keys into a page that listens to keys",
    "email-inbox-reply": "several screens of one page",
}


@pytest.mark.parametrize("task", FAMILIES)
def test_the_hands_can_do_it(ground, task):
    result = ground.play("oracle", task)
    assert result.solved, result


def test_a_seed_gives_the_same_episode_again_and_another_one_another(ground):
    def sight(seed):
        goal, view = ground.begin("click-button", seed)
        return goal, [(element.role, element.name, element.x, element.y) for element in view.elements]

    first = sight(1)
    assert sight(2) != first
    assert sight(1) == first


def test_an_episode_that_ends_twice_keeps_its_first_result(ground):
    def wrong_then_start_again_then_right(observation, history):
        one, two = (next(each for each in observation.elements if each.name == name) for name in ("ONE", "TWO"))
        # One decision, in which nobody is asked between: the page covers itself with START after its first end.
        return Decision([act("click", ref=two.ref), act("click", x=80, y=105), act("click", ref=one.ref)])

    result = ground.play_with(Scripted(wrong_then_start_again_then_right), "click-test-2")
    assert result.reward == -1.0
    assert ground.ground.latch.ends == 2


def test_an_agent_is_not_asked_again_when_the_episode_is_over(ground):
    agent = Scripted(lambda observation, history: act("click", ref=observation.elements[0].ref))
    result = ground.play_with(agent, "click-test", 1)
    assert result.ending == "episode_over"
    assert result.steps == 1
    assert len(agent.seen) == 1
    assert agent.closed == 1


def test_an_agent_that_stops_before_the_end_has_no_reward(ground):
    result = ground.play_with(Scripted(act("answer", text="Done.")), "click-test", 1)
    assert (result.reward, result.ending, result.solved) == (None, "answered", False)


def test_a_task_without_a_policy_is_given_up_by_the_oracle(ground):
    result = ground.play("oracle", "hover-shape")
    assert (result.reward, result.ending) == (None, "gave_up")


def test_a_decision_after_the_end_is_the_runners_own():
    latch = Latch()
    agent = Scripted(act("observe"))
    attended = Attended(agent, latch)
    latch.take(latch.renew(), 1.0, "")
    decision = attended.next_action("", None, ())
    assert decision.actions[0].verb == "answer"
    assert attended.sent_home
    assert not agent.seen
