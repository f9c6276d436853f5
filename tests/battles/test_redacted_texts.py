"""What leaves the building of a step's words: every column, every verb; and what judges read of them."""

import json
from typing import cast

import pytest

from battles.lanes.vocabulary import VERBS
from battles.models import Lane, Step, Task
from battles.redacted_texts import (
    HIDDEN_FROM_JUDGES,
    STEP_WORDS,
    hidden_row,
    known_details,
    redacted_lane,
    redacted_step,
    redacted_task,
)
from governance.redaction import EVERY_KIND, Kind

MAIL = "inga.holm@example.org"
CARD = "4111 1111 1111 1111"


def _step(verb: str = "click", **columns) -> Step:
    return Step(verb=verb, charged=True, ok=True, **columns)


def _typed(text: str, field: str) -> Step:
    return _step("type", arguments={"text": text}, target={"role": "textbox", "name": field, "x": 1, "y": 2})


@pytest.mark.parametrize("verb", VERBS)
def test_no_argument_of_any_verb_keeps_a_detail(verb: str):
    """An action that was refused is on the record as the agent wrote it, so any argument can hold anything."""
    arguments = {name: [f"to {MAIL}", {"at": MAIL}] for name in VERBS[verb].arguments["properties"]}
    assert MAIL not in json.dumps(redacted_step(_step(verb, arguments={**arguments, "invented": MAIL})))


@pytest.mark.parametrize("column", STEP_WORDS)
def test_no_column_keeps_a_detail(column: str):
    held = {
        "arguments": {"text": MAIL},
        "changes": [{"kind": "dialog", "message": f"Write to {MAIL}?"}],
        "target": {"name": f"Mail of {MAIL}"},
        "refusals": [{"host": "mail.example", "reason": f"user {MAIL}"}],
    }.get(column, f"about {MAIL}")
    assert "inga" not in json.dumps(redacted_step(_step(**{"verb": "click", column: held})))


def test_every_text_column_of_a_step_is_among_them():
    # Codes of our own, digests and keys hold no words of anybody.
    own = {"code", "page_before", "page_after", "overlay", "wall"}
    texts = {
        field.name
        for field in Step._meta.concrete_fields
        if field.get_internal_type() in {"TextField", "CharField", "JSONField"}
    }
    assert texts - own == set(STEP_WORDS)


def test_parameters_of_an_address_are_read_one_by_one():
    step = _step("navigate", url_after=f"https://shop.example/pay?card={CARD.replace(' ', '+')}&size=9")
    assert redacted_step(step)["url_after"] == "https://shop.example/pay?card=[card]&size=9"


def test_what_was_typed_into_a_password_field_goes_wherever_it_comes_again():
    steps = [
        _typed("sunshine", "Password"),
        _step("click", reasoning="I entered sunshine, now I sign in.", url_after="https://a.example/?q=sunshine"),
    ]
    known = known_details(Task(instruction="Sign in."), steps)
    told = [redacted_step(step, known=known) for step in steps]
    assert "sunshine" not in json.dumps(told)
    assert told[1]["reasoning"] == "I entered [password], now I sign in."


def test_the_name_of_a_key_is_no_password():
    pressed = _step("press", arguments={"keys": "Enter"}, target={"role": "textbox", "name": "Password"})
    known = known_details(Task(instruction="Sign in."), [_typed("sunshine", "Password"), pressed])
    assert known == {"sunshine": Kind.PASSWORD}


def test_a_password_goes_behind_an_address_in_the_data_of_a_page():
    typed = _typed('correct-"Horse7', "Password")
    page = json.dumps({"site": "https://shop.example", "greeting": 'correct-"Horse7', "next": "https://shop.example"})
    step = _step("read", page_text=page, result={"body": f"log: https://shop.example|{page}"})
    told = redacted_step(step, known=known_details(Task(instruction="Sign in."), [typed, step]))
    assert "Horse7" not in json.dumps(told)
    assert json.loads(cast("str", told["page_text"]))["site"] == "https://shop.example"


@pytest.mark.parametrize("typed", ["&#46;", "%2F%2F", "%65%65", "&#101;&#97;"])
def test_what_a_written_out_password_says_stays_where_it_is_shorter_than_details_are(typed):
    known = known_details(Task(instruction="Sign in."), [_typed(typed, "Password")])
    said = "I see ea. Then https://shop.example//a."
    assert redacted_lane(Lane(answer=f"{said} {typed}"), known=known)["answer"] == f"{said} [password]"


@pytest.mark.parametrize("kinds", [EVERY_KIND, HIDDEN_FROM_JUDGES])
@pytest.mark.parametrize(
    "start_url",
    [
        "https://shop.example/?password=sunshine77xy",
        "https://shop.example/#token=sunshine77xy",
        "https://shop.example/#/in?token=sunshine77xy",
        "https://inga:sunshine77xy@shop.example/",
    ],
)
def test_a_secret_of_the_start_address_goes_wherever_it_comes_again(start_url, kinds):
    task = Task(instruction="Sign in with sunshine77xy.", start_url=start_url)
    said = "The word is sunshine77xy."
    known = known_details(task, [], kinds=kinds)
    step = redacted_step(_step(reasoning=said, url_after="https://shop.example/sunshine77xy"), known=known, kinds=kinds)
    assert step["reasoning"] == "The word is [secret]."
    assert redacted_lane(Lane(answer=said), known=known, kinds=kinds)["answer"] == "The word is [secret]."
    assert "sunshine" not in json.dumps([step, redacted_task(task, kinds=kinds)])


def test_harmless_parameters_of_the_start_address_stay_words():
    task = Task(
        instruction="Find a kettle.", start_url="https://shop.example/?page=2&q=kettle&state=california#reviews"
    )
    assert known_details(task, []) == {}


def test_what_a_start_address_says_and_pages_say_too_stays_readable():
    task = Task(
        instruction="Which shop has the RTX4090 open today?",
        start_url="https://inga:inga@inga.example/?code=RTX4090&password=open",
    )
    assert redacted_task(task) == {
        "instruction": task.instruction,
        "start_url": "https://[secret]@inga.example/?code=[secret]&password=[password]",
    }


def test_an_address_in_an_instruction_is_read_as_the_start_address_is():
    said = "Compare (https://a.example/?code=RTX4090&password=open) and https://b.example/?token=sunshine77xy."
    assert known_details(Task(instruction=said, start_url="https://c.example/"), []) == {"sunshine77xy": Kind.SECRET}


@pytest.mark.parametrize("said", ["İSTANBUL34", "ISTANBUL34", "ıstanbul34"])
def test_an_answer_in_other_letters_of_the_same_word_is_read_and_redacted(said):
    task = Task(instruction=f"Find {said} on this page.", start_url="https://example.org/?token=istanbul34")
    known = known_details(task, [], kinds=HIDDEN_FROM_JUDGES)
    assert redacted_lane(Lane(answer=f"{said}!"), known=known, kinds=HIDDEN_FROM_JUDGES)["answer"] == "[secret]!"
    assert redacted_task(task)["instruction"] == "Find [secret] on this page."


def test_names_of_columns_and_of_fields_stay_whatever_was_typed():
    known = dict.fromkeys(("answer", "text", "sunshine77xy"), Kind.PASSWORD)
    words = {"answer": "an answer", "arguments": {"text": "text", "sunshine77xy": 1}}
    assert hidden_row(words, known) == {
        "answer": "an [password]",
        "arguments": {"text": "[password]", "[password]": 1},
    }


def test_the_answer_and_the_task_are_redacted_too():
    task = Task(instruction=f"Write to {MAIL}.", start_url=f"https://mail.example/?to={MAIL}")
    assert redacted_task(task) == {
        "instruction": "Write to [e-mail].",
        "start_url": "https://mail.example/?to=[e-mail]",
    }
    assert redacted_lane(Lane(answer=f"Written to {MAIL}."))["answer"] == "Written to [e-mail]."


def test_judges_read_names_and_addresses_and_nothing_else_of_it():
    said = f"Dr. Ingrid Holm lives at 12 Elm Street, Springfield; her mail is {MAIL}."
    shown = redacted_step(_step(reasoning=said), kinds=HIDDEN_FROM_JUDGES)["reasoning"]
    assert shown == said.replace(MAIL, "[e-mail]")
    assert "Holm" not in str(redacted_step(_step(reasoning=said))["reasoning"])


def test_a_step_stays_as_it_was():
    step = _typed("sunshine", "Password")
    redacted_step(step, known={"sunshine": known_details(Task(instruction=""), [step])["sunshine"]})
    assert step.arguments == {"text": "sunshine"}
