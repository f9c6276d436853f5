"""Tokens: what each provider counts and how, brought to one meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.agents.hosted.counting import MOST_TOKENS, added, tokens, usage_within_prompt
from battles.lanes.events import Usage
from tests.battles.agents.hosted.local_provider import Answer

CLICK = ("click", {"x": 10, "y": 20})


def test_usage_in_all_its_forms(model, dialect):
    for raw, meant in dialect.usages:
        body = dialect.calls(CLICK, usage="to be replaced")
        name = "usageMetadata" if "usageMetadata" in body else "usage"
        made = model({**body, name: raw})
        assert made.step().usage == meant, raw


def test_usage_that_is_missing_is_unknown(model, dialect):
    body = dialect.calls(CLICK)
    made = model({name: value for name, value in body.items() if not name.startswith("usage")})
    assert made.step().usage is None


def test_what_complaints_cost_is_counted_too(model, dialect):
    for body in (dialect.says("Hm."), dialect.cut_off("Hm")):
        assert model(body).step().usage == dialect.usages[0][1]


@pytest.mark.parametrize("dialect", ["anthropic"], indirect=True)
def test_calls_of_one_decision_are_counted_together(model, dialect):
    too_long = dialect.too_long()[-1][0]
    made = model(Answer(too_long), dialect.calls(CLICK))
    assert made.step().usage == Usage(20, None, None, 10, None)


counts = st.none() | st.integers(0, MOST_TOKENS)


@given(counts, counts, counts, counts, counts)
def test_the_kinds_of_input_add_up_to_the_prompt_and_reasoning_is_inside_the_output(
    prompt, read, write, output, reasoning
):
    usage = usage_within_prompt(prompt=prompt, cache_read=read, cache_write=write, output=output, reasoning=reasoning)
    kinds = [usage.input_plain, usage.input_cache_read, usage.input_cache_write]
    if usage.input_plain is not None:
        assert sum(kind or 0 for kind in kinds) == prompt
        assert usage.input_plain >= 0
    assert usage.output == output
    assert usage.output_reasoning is None or usage.output_reasoning <= usage.output
    assert (usage.input_plain is None) == (prompt is None or (read or 0) + (write or 0) > prompt)


@given(st.floats() | st.text() | st.booleans() | st.none() | st.integers(max_value=-1) | st.integers(MOST_TOKENS + 1))
def test_what_is_no_count_is_unknown(value):
    assert tokens(value) is None


usages = st.none() | st.builds(Usage, counts, counts, counts, counts, counts)


@given(usages, usages)
def test_unknown_and_known_make_unknown(one, other):
    total = added(one, other)
    if one is None or other is None:
        assert total == (one or other)
        return
    for name in ("input_plain", "input_cache_read", "input_cache_write", "output", "output_reasoning"):
        first, second = getattr(one, name), getattr(other, name)
        known = first is not None and second is not None
        assert getattr(total, name) == (first + second if known else None)
