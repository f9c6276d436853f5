"""Calls that a model wrote out as text: read where they can be, refused like any other where they cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.agents.hosted import wording
from battles.agents.hosted.written_calls import MOST_CALLS, NAMELESS, written_calls

READ = [
    ('<tool_call>{"name": "click", "arguments": {"x": 1, "y": 2}}</tool_call>', [("click", {"x": 1, "y": 2})]),
    ('<tool_call>\n{"name": "observe"}\n</tool_call>', [("observe", {})]),
    ('<tool_call>{"name": "wait", "parameters": {"seconds": 1}}</tool_call>', [("wait", {"seconds": 1})]),
    (
        'So.<tool_call>{"name": "observe", "arguments": {}}</tool_call>\n'
        '<tool_call>{"name": "wait", "arguments": {"seconds": 1}}',
        [("observe", {}), ("wait", {"seconds": 1})],
    ),
    (
        '<tool_call>{"name": "click", "arguments": {"x": 1,</tool_call>',
        [("click", '{"name": "click", "arguments": {"x": 1,')],
    ),
    ("<tool_call>click here</tool_call>", [(NAMELESS, "click here")]),
    ("<tool_call></tool_call>", [(NAMELESS, "")]),
    ("<tool_call>[1]</tool_call>", [(NAMELESS, "[1]")]),
    ('<tool_call>{"name": 7}</tool_call>', [(NAMELESS, '{"name": 7}')]),
    ("Thought: there.\nAction: click(x=10, y=20)", [("click", {"x": 10, "y": 20})]),
    ("Action: click(point='<point>510 150</point>')", [("click", {"point": "<point>510 150</point>"})]),
    (
        "Thought: both.\nAction: type(text='a (b)', enter=True)\n\nwait(seconds=0.5)",
        [("type", {"text": "a (b)", "enter": True}), ("wait", {"seconds": 0.5})],
    ),
    ("Action: observe()", [("observe", {})]),
    ("Action: click(10, 20)", [("click", "click(10, 20)")]),
    ("Action: click(x=10", []),
    ("Action: click(x=open('/etc/passwd'))", [("click", "click(x=open('/etc/passwd'))")]),
    ("Action: click(**{'x': 1})", [("click", "click(**{'x': 1})")]),
    (f"Action: drag(path={'[' * 5000}{']' * 5000})", [("drag", f"drag(path={'[' * 5000}{']' * 5000})")]),
    ("Action: none needed", []),
    ("I would click(x=1, y=2) here.", []),
    ("Nothing to do.", []),
]


@pytest.mark.parametrize(("said", "meant"), READ, ids=range(len(READ)))
def test_calls_in_text(said, meant):
    calls = written_calls(said, key="")
    assert [(call.name, call.arguments) for call in calls] == meant
    assert not any(call.answerable for call in calls)


@given(st.text("<>tool_call/{}[]\"':,Action: click(x=1)\n", max_size=200) | st.text(max_size=100))
def test_no_text_breaks_the_reading(said):
    calls = written_calls(said, key="")
    assert len(calls) <= MOST_CALLS
    assert all(call.name for call in calls)


def test_a_flood_of_calls_is_cut():
    flood = '<tool_call>{"name": "observe"}</tool_call>' * 1_000
    assert len(written_calls(flood, key="")) == MOST_CALLS


@pytest.mark.parametrize("dialect", ["openai-compatible"], indirect=True)
class TestOverTheWire:
    def test_they_are_executed_and_answered_in_words(self, model, dialect):
        said = "Thought: look.\nAction: click(x=10, y=20)\nobserve()"
        made = model(dialect.says(said))
        assert [action.verb for action in made.step().actions] == ["click", "observe"]
        made.step()
        _, mine, told = made.provider.transcripts[-1].turns
        assert (mine.text, mine.calls, told.results) == (said, [], [])
        assert told.text.startswith("click: Done: click.\nobserve: Done: observe.\nAddress:")

    def test_another_vocabulary_is_refused(self, model, dialect):
        made = model(dialect.says("Action: click(point='<point>1 2</point>')"), dialect.says("hm"))
        made.step()
        assert made.talk.last.code == "invalid_action"
        made.step()
        assert "click: it takes no argument 'point'" in made.provider.transcripts[-1].turns[-1].text

    def test_a_real_call_counts_and_text_beside_it_does_not(self, model, dialect):
        made = model(dialect.calls(("observe", {}), words="Action: click(x=1, y=2)"))
        assert [action.verb for action in made.step().actions] == ["observe"]


@pytest.mark.parametrize("dialect", ["anthropic", "google", "openai"], indirect=True)
def test_elsewhere_text_is_text(model, dialect):
    decision = model(dialect.says("Action: click(x=1, y=2)")).step()
    assert (decision.actions, decision.complaint) == ([], wording.NO_CALL)
