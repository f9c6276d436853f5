"""What goes over the wire and what comes back of it, one rule at a time and for every provider alike."""

from __future__ import annotations

from typing import Any

import pytest

from battles.agents.hosted import wording
from battles.agents.hosted.conversation import SCREENSHOTS_KEPT
from battles.lanes.events import ActionResult, Element
from tests.battles.agents.hosted.local_provider import Answer
from tests.battles.agents.hosted.talk import TASK

CLICK = ("click", {"x": 10, "y": 20})


def only_for(*adapters: str) -> Any:
    """The rule is about what only these APIs have."""
    return pytest.mark.parametrize("dialect", adapters, indirect=True)


def invalid(action: Any) -> bool:
    return isinstance(action, ActionResult) and action.code == "invalid_action"


def test_the_first_request_has_the_rules_the_task_the_page_and_a_picture(model, dialect):
    made = model(dialect.calls(CLICK))
    made.step()
    (sent,) = made.provider.transcripts
    assert sent.system == wording.SYSTEM
    (opening,) = sent.turns
    assert opening.text.startswith(f"The task: {TASK}\n")
    assert "Address: http://shop.test/" in opening.text
    assert '[ref_1] button "Search" (10,20,80,30)' in opening.text
    assert opening.images == 1


def test_a_call_becomes_an_action_with_the_model_s_words(model, dialect):
    made = model(dialect.calls(CLICK, words="I see the search."))
    decision = made.step()
    assert [(action.verb, action.arguments) for action in decision.actions] == [CLICK]
    assert decision.reasoning == "I see the search."
    assert decision.model_called
    assert not decision.complaint
    assert decision.usage == dialect.usages[0][1]


def test_what_came_of_a_call_goes_back_with_the_next_observation(model, dialect):
    made = model(dialect.calls(CLICK))
    made.talk.outcomes["click"] = ActionResult(True, "Clicked.", text="What was read.")
    made.step()
    made.step(title="Results")
    _, asked, answered = made.provider.transcripts[-1].turns
    assert [name for _, name in asked.calls] == ["click"]
    assert [text for _, text in answered.results] == ["Clicked.\nWhat was read."]
    assert "Title: Results" in answered.text
    assert answered.images == 1


def test_a_reply_goes_back_unchanged_with_what_is_hidden_in_it(model, dialect):
    reply = dialect.with_hidden(dialect.calls(CLICK, words="Hm."))
    made = model(reply)
    made.step()
    made.step()
    assert dialect.sent_back(made.provider.requests[-1].body) == [dialect.pieces_of(reply)]


def test_calls_of_one_turn_run_in_order_and_are_answered_in_order(model, dialect):
    made = model(dialect.calls(CLICK, ("wait", {"seconds": 1}), ("observe", {})))
    decision = made.step()
    assert [action.verb for action in decision.actions] == ["click", "wait", "observe"]
    made.step()
    results = made.provider.transcripts[-1].turns[-1].results
    assert [text for _, text in results] == ["Done: click.", "Done: wait.", "Done: observe."]


def test_calls_after_one_that_failed_are_answered_as_not_executed(model, dialect):
    made = model(dialect.calls(CLICK, ("wait", {"seconds": 1}), ("observe", {})))
    made.talk.outcomes["click"] = ActionResult(False, "Nothing is there.", "not_found")
    made.step()
    made.step()
    results = made.provider.transcripts[-1].turns[-1].results
    assert [text for _, text in results] == [
        "Failed (not_found). Nothing is there.",
        wording.NOT_EXECUTED.text,
        wording.NOT_EXECUTED.text,
    ]


@only_for("anthropic", "openai", "openai-compatible")
@pytest.mark.parametrize("ids", [("same", "same"), (None, None), ("", ""), ("same", None)])
def test_calls_survive_identifiers_that_are_missing_or_given_twice(model, dialect, ids):
    made = model(dialect.calls(CLICK, ("observe", {}), ids=ids))
    for _ in range(3):
        assert len(made.step().actions) == 2
    last = made.provider.transcripts[-1]
    assert [len(turn.results) for turn in last.turns if turn.role == "user"] == [0, 2, 2]


@only_for("google")
@pytest.mark.parametrize("ids", [("one", "two"), (None, None), ("same", "same")])
def test_calls_that_are_matched_by_their_order_keep_the_identifiers_they_have(model, dialect, ids):
    made = model(dialect.calls(CLICK, ("observe", {}), ids=ids))
    made.step()
    made.step()
    results = made.provider.transcripts[-1].turns[-1].results
    assert [identifier for identifier, _ in results] == [identifier or "" for identifier in ids]


def test_an_unknown_tool_is_refused_in_words_and_the_conversation_goes_on(model, dialect):
    made = model(dialect.calls(("screenshot", {})), dialect.calls(CLICK))
    made.step()
    assert invalid(made.talk.last)
    assert made.step().actions[0].verb == "click"
    ((_, said),) = made.provider.transcripts[-1].turns[-1].results
    assert "There is no verb 'screenshot'" in said


@only_for("openai", "openai-compatible")
@pytest.mark.parametrize(
    "written", ['{"x": 10, "y"', "x=10", "[1, 2]", "null", '{"x": NaN}', "[" * 50_000, '{"x": 1e999}']
)
def test_arguments_that_are_no_object_are_refused_in_words(model, dialect, written):
    made = model(dialect.calls(("click", written)))
    made.step()
    assert invalid(made.talk.last)
    made.step()
    ((_, said),) = made.provider.transcripts[-1].turns[-1].results
    assert said.startswith("Failed (invalid_action). The arguments of click have to be an object.")


@only_for("anthropic", "google")
@pytest.mark.parametrize("given", ["text", [1], 7, None])
def test_arguments_of_another_type_are_refused_or_none(model, dialect, given):
    made = model(dialect.calls(("click", given)))
    made.step()
    assert invalid(made.talk.last)
    made.step()


@pytest.mark.parametrize("name", ["", "click at", "click\n", "é", "x" * 300, None, 7, "1click"])
def test_a_call_whose_name_no_api_takes_back_is_answered_in_words(model, dialect, name):
    made = model(dialect.with_hidden(dialect.calls((name, {"x": 1}))), dialect.calls(CLICK))
    made.step()
    assert invalid(made.talk.last)
    made.step()
    last = made.provider.transcripts[-1].turns[-1]
    assert last.results == []
    assert "Failed (invalid_action). There is no verb" in last.text


def test_a_vendor_s_own_call_is_refused_like_any_other_that_does_not_exist(model, dialect):
    body, name = dialect.native_call()
    made = model(body, dialect.calls(CLICK))
    decision = made.step()
    assert [action.verb for action in decision.actions] == [name]
    assert invalid(made.talk.last)
    made.step()
    last = made.provider.transcripts[-1].turns[-1]
    assert "There is no verb" in "\n".join([last.text, *(text for _, text in last.results)])


def test_text_alone_is_a_complaint_that_goes_back(model, dialect):
    made = model(dialect.says("The price is 12."), dialect.calls(CLICK))
    decision = made.step()
    assert decision.actions == []
    assert decision.complaint == wording.NO_CALL
    assert decision.reasoning == "The price is 12."
    made.step()
    _, said, told = made.provider.transcripts[-1].turns
    assert said.text == "The price is 12."
    assert wording.NO_CALL in told.text


def test_a_reply_that_was_cut_off_is_a_complaint(model, dialect):
    made = model(dialect.cut_off("First I"), dialect.calls(CLICK))
    decision = made.step()
    assert (decision.actions, decision.complaint) == ([], wording.CUT_OFF)
    assert decision.usage == dialect.usages[0][1]
    made.step()
    assert wording.CUT_OFF in made.provider.transcripts[-1].turns[-1].text


def test_a_refusal_is_a_complaint_and_is_not_sent_back(model, dialect):
    for body in dialect.refusals():
        made = model(body, dialect.calls(CLICK))
        decision = made.step()
        assert (decision.actions, decision.complaint) == ([], wording.DECLINED)
        made.step()
        assert "rather not" not in made.provider.transcripts[-1].turns[1].text


def test_a_reply_with_nothing_in_it_is_a_complaint(model, dialect):
    for body in dialect.hollow():
        made = model(body, dialect.calls(CLICK))
        decision = made.step()
        assert (decision.actions, decision.complaint) == ([], wording.NO_CALL), body
        assert made.step().actions, body


def test_pieces_that_nobody_knows_do_no_harm(model, dialect):
    made = model(dialect.with_unknown(dialect.calls(CLICK)))
    assert made.step().actions[0].verb == "click"
    assert made.step().actions[0].verb == "click"


def test_only_the_last_screenshots_are_sent(model, dialect):
    made = model(dialect.calls(CLICK))
    for _ in range(6):
        made.step()
    assert [sent.images for sent in made.provider.transcripts] == [1, 2, 3, 3, 3, 3]
    assert SCREENSHOTS_KEPT == 3
    opening = made.provider.transcripts[-1].turns[0]
    assert TASK in opening.text
    assert "[The screenshot is left out.]" in opening.text


def test_lone_surrogates_of_pages_and_models_do_no_harm(model, dialect):
    made = model(dialect.calls(("type", {"text": "half \ud83d"}), words="half \ude00"))
    made.talk.outcomes["type"] = ActionResult(True, "Typed.", text="page \udfff")
    odd = Element("ref_1", "button", "\ud800", 1, 1, 1, 1)
    made.step(title="\ud800", elements=(odd,))
    assert made.step(title="\udc00").actions[0].arguments == {"text": "half \ufffd"}


def test_a_conversation_that_does_not_fit_is_shortened_and_goes_on(model, dialect):
    for answer in dialect.too_long():
        full = model(dialect.calls(CLICK))
        for _ in range(12):
            full.step()
        full.provider._script[:] = [Answer(*answer), dialect.calls(CLICK)]
        assert full.step().actions
        longer, shorter = full.provider.transcripts[-2:]
        assert len(longer.models_turns) == 12
        assert len(shorter.models_turns) == 8
        assert "[The first 4 of your turns are left out here.]" in shorter.turns[0].text
        assert shorter.turns[0].text.startswith(f"The task: {TASK}")
        assert len(shorter.turns[-1].results) == 1


def test_a_conversation_that_never_fits_is_a_complaint(model, dialect):
    for answer in dialect.too_long():
        made = model(Answer(*answer))
        decision = made.step()
        assert (decision.actions, decision.complaint) == ([], wording.TOO_LONG)
        assert made.agent.provider_seconds == 0
        assert len(made.provider.requests) == 3


def test_what_a_provider_will_not_answer_is_a_complaint(model, dialect):
    for answer in dialect.declined():
        made = model(Answer(*answer), dialect.calls(CLICK))
        decision = made.step()
        assert (decision.actions, decision.complaint) == ([], wording.DECLINED)
        assert made.step().actions
