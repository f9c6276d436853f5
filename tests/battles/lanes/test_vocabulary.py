"""The vocabulary as data: seventeen verbs, one schema each, a place in the mix, an answer for every vendor."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.lanes.actions import _VERBS, EXECUTED
from battles.lanes.events import Action
from battles.lanes.key_names import KEY_ALIASES, UnknownKey, parse_keys
from battles.lanes.upload_files import UPLOAD_FILES
from battles.lanes.validation import Invalid, Request, validate
from battles.lanes.vendor_map import _TABLE, VENDORS
from battles.lanes.vocabulary import KINDS, TERMINAL, VERBS, action_map, kind_of
from tests.battles.lanes.conftest import Hands
from tests.battles.lanes.scripted import Scripted, act
from tests.battles.lanes.test_loop import Race
from tests.battles.lanes.verb_effects import EFFECTS, Done

SEVENTEEN = {
    "navigate", "history", "click", "hover", "drag", "scroll", "type", "press", "select", "upload", "wait",
    "observe", "zoom", "read", "tab", "answer", "give_up",
}  # fmt: skip


def test_there_are_exactly_the_seventeen_verbs() -> None:
    assert len(VERBS) == 17
    assert not SEVENTEEN ^ set(VERBS)


def test_every_verb_is_executed_or_ends_the_lane() -> None:
    assert set(VERBS) == EXECUTED | TERMINAL
    assert not EXECUTED & TERMINAL


def test_mapping_schema_executor_and_effects_cover_the_same_verbs() -> None:
    """Four lists kept in four places: none of them may know a verb that another does not."""
    published = {verb["name"]: verb for verb in action_map()["verbs"]}
    assert set(_TABLE) == set(VERBS), "vendor mapping"
    assert set(published) == set(VERBS), "published schemas"
    assert set(_VERBS) == set(VERBS) - TERMINAL, "the executor's own table"
    assert set(EFFECTS) == set(VERBS), "effects tried on the real browser"
    for name, verb in VERBS.items():
        assert published[name]["arguments"] == verb.arguments
        assert len(_TABLE[name]) == len(VENDORS)


@pytest.mark.browser
@pytest.mark.parametrize("verb", list(VERBS))
def test_every_verb_has_its_effect_on_a_real_page(verb: str, hands: Hands) -> None:
    effect = EFFECTS[verb]
    agent = Scripted(*effect.first, effect.move, act("answer", text="done"))
    hands.go(effect.path)
    assert not effect.holds(hands, None), "or the verb would prove nothing"
    race = Race(hands, agent, effect.path)
    step = race.steps[len(effect.first)]
    assert step.action.verb == verb
    assert step.result.ok
    assert effect.holds(
        hands, Done(step, agent.seen[len(effect.first)].screenshot, agent.seen[-1].screenshot, race.outcome)
    )


def test_kinds_are_total_and_terminal_verbs_have_none() -> None:
    for verb in VERBS.values():
        assert (verb.kind in KINDS) != verb.terminal
    assert {verb.kind for verb in VERBS.values()} - {""} == set(KINDS)
    assert kind_of("teleport") == ""


def test_kinds_are_those_of_the_action_mix() -> None:
    assert {name for name in VERBS if kind_of(name) == "type"} == {"type", "press", "select", "upload"}
    assert {name for name in VERBS if kind_of(name) == "read"} == {"read", "zoom", "observe"}
    assert {name for name in VERBS if kind_of(name) == "click"} == {"click", "hover", "drag"}


def test_every_verb_answers_every_vendor_with_a_call_or_a_reason() -> None:
    for verb in VERBS.values():
        assert list(verb.vendors) == list(VENDORS)
        for entry in verb.vendors.values():
            assert entry.calls or entry.note


def test_schemas_are_plain_json_schema_without_extras() -> None:
    for verb in VERBS.values():
        schema = verb.arguments
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        for argument in schema["properties"].values():
            assert argument["description"]
            assert argument["type"] in {"integer", "number", "string", "boolean", "array"}


def test_the_action_map_is_json_and_complete() -> None:
    published = json.loads(json.dumps(action_map()))
    assert [verb["name"] for verb in published["verbs"]] == list(VERBS)
    assert published["viewport"] == {"width": 1280, "height": 800, "device_scale": 1}
    assert published["key_aliases"] == KEY_ALIASES
    assert [file["name"] for file in published["upload_files"]] == list(UPLOAD_FILES)


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("click", {"x": 10, "y": 20}),
        ("click", {"x": "10", "y": 20.0, "ref": None, "button": "right", "count": 3, "modifiers": ["Shift"]}),
        ("click", {"ref": "ref_3", "x": None, "y": None}),
        ("drag", {"path": [[1, 2], [3, 4]]}),
        ("drag", {"ref": "ref_1", "to_ref": "ref_2"}),
        ("drag", {"ref": "ref_1", "path": [[3, 4]]}),
        ("scroll", {"dy": 120}),
        ("type", {"text": ""}),
        ("press", {"keys": ["ctrl", "a"]}),
        ("select", {"ref": "ref_1", "option": 2}),
        ("upload", {"file": "note.txt"}),
        ("wait", {"seconds": 0.1}),
        ("observe", {}),
        ("zoom", {"x0": 0, "y0": 0, "x1": 1280, "y1": 800}),
        ("tab", {"op": "close"}),
        ("answer", {"text": "42"}),
    ],
)
def test_what_can_be_executed_is_accepted(verb: str, arguments: dict[str, object]) -> None:
    assert isinstance(validate(Action(verb, arguments)), Request)


@pytest.mark.parametrize(
    ("verb", "arguments", "says"),
    [
        ("fly", {}, "no verb"),
        ("click", {}, "ref"),
        ("click", {"x": 10}, "belong together"),
        ("click", {"x": 1280, "y": 10}, "0 to 1279"),
        ("click", {"x": 10, "y": 800}, "0 to 799"),
        ("click", {"x": -1, "y": 8}, "0 to 1279"),
        ("click", {"x": 10, "y": 20, "ref": "ref_1"}, "not both"),
        ("click", {"x": 10, "y": 20, "speed": 3}, "no argument 'speed'"),
        ("click", {"x": "ten", "y": 20}, "whole number"),
        ("click", {"x": True, "y": 20}, "whole number"),
        ("click", {"x": float("nan"), "y": 20}, "whole number"),
        ("click", {"x": 1, "y": 2, "button": "fourth"}, "one of left, right, middle"),
        ("click", {"x": 1, "y": 2, "count": 4}, "1 to 3"),
        ("drag", {"path": [[1, 2]]}, "2 to 32 points"),
        ("drag", {"path": [[1, 2], [3, 900]]}, "0 to 799"),
        ("drag", {"path": [[1, 2], [3]]}, "entries"),
        ("scroll", {"x": 1, "y": 2}, "dx or dy"),
        ("type", {}, "text is missing"),
        ("type", {"text": "a\x00b"}, "no text"),
        ("press", {"keys": "Hyper+x"}, "no key called"),
        ("press", {"keys": "a", "repeat": 51}, "1 to 50"),
        ("wait", {"seconds": 11}, "0.1 to 10"),
        ("zoom", {"x0": 5, "y0": 5, "x1": 5, "y1": 9}, "less than"),
        ("read", {"what": "minds"}, "one of text, elements"),
        ("tab", {"op": "switch"}, "tab_id"),
        ("upload", {"ref": "ref_1", "file": "/etc/passwd"}, "one of"),
    ],
)
def test_what_cannot_be_executed_is_refused_in_words(verb: str, arguments: dict[str, object], says: str) -> None:
    refused = validate(Action(verb, arguments))
    assert isinstance(refused, Invalid)
    assert says in refused.message


@given(
    verb=st.sampled_from(sorted(SEVENTEEN)) | st.text(max_size=10),
    arguments=st.dictionaries(
        st.sampled_from(["x", "y", "ref", "text", "path", "keys", "url", "seconds", "option", "op", "what"])
        | st.text(max_size=5),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=20)
        | st.lists(st.lists(st.integers(), max_size=3), max_size=3),
        max_size=5,
    ),
)
def test_whatever_a_model_makes_up_is_a_request_or_a_refusal(verb: str, arguments: dict[str, object]) -> None:
    answer = validate(Action(verb, arguments))
    assert isinstance(answer, Request | Invalid)
    if isinstance(answer, Request):
        again = validate(Action(verb, answer.arguments))
        assert again == answer, "what was understood once is understood the same again"


@pytest.mark.parametrize(
    ("given_keys", "pressed"),
    [
        ("Return", ["Enter"]),
        ("CTRL+A", ["Control+a"]),
        ("ctrl+shift+ArrowLeft", ["Control+Shift+ArrowLeft"]),
        ("cmd+k", ["Meta+k"]),
        ("KP_5", ["5"]),
        ("KP_Enter", ["Enter"]),
        ("Prior", ["PageUp"]),
        ("f11", ["F11"]),
        ("ctrl c", ["Control+c"]),
        ("Tab Tab Enter", ["Tab", "Tab", "Enter"]),
        ("+", ["+"]),
        ("ctrl++", ["Control++"]),
        ("A", ["A"]),
        (" ", ["Space"]),
        ("ž", ["ž"]),
        (["alt", "Tab"], ["Alt+Tab"]),
    ],
)
def test_key_names(given_keys: str, pressed: list[str]) -> None:
    assert parse_keys(given_keys) == pressed


@pytest.mark.parametrize("keys", ["", "Hyper", "ctrl+nothing", "ctrl++a+"])
def test_names_that_are_no_keys(keys: str) -> None:
    with pytest.raises(UnknownKey):
        parse_keys(keys)


def test_upload_files_are_what_they_claim() -> None:
    assert UPLOAD_FILES["page.pdf"].content.startswith(b"%PDF-")
    assert UPLOAD_FILES["picture.png"].content.startswith(b"\x89PNG\r\n\x1a\n")
    assert UPLOAD_FILES["table.csv"].content.count(b"\r\n") == 4
