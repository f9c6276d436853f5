"""First guesses: the category, and whether an answer or a deed is asked for."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.screening.category import CATEGORIES, guess_category
from battles.screening.task_kind import ACTION, ANSWER, guess_task_kind

CASES = [json.loads(line) for line in (Path(__file__).parent / "category_cases.jsonl").read_text("utf-8").splitlines()]


def share_right(part, field, guess):
    cases = [case for case in CASES if case["part"] == part]
    return sum(guess(case["text"]) == case[field] for case in cases) / len(cases)


def test_the_labelled_set_covers_every_category_and_both_kinds():
    assert {case["category"] for case in CASES} == set(CATEGORIES)
    assert {case["kind"] for case in CASES} == {ANSWER, ACTION}


def test_categories_on_texts_the_words_were_not_chosen_for():
    """Measured at the first look: 44 of 50."""
    assert share_right("held", "category", guess_category) >= 0.85


def test_kinds_on_texts_the_words_were_not_chosen_for():
    """Measured at the first look: 49 of 50."""
    assert share_right("held", "kind", guess_task_kind) >= 0.95


def test_both_on_texts_the_words_were_chosen_for():
    assert share_right("tuned", "category", guess_category) >= 0.98
    assert share_right("tuned", "kind", guess_task_kind) >= 0.98


def test_the_start_address_speaks_too():
    assert guess_category("Find the newest one and open it.", "https://forum.example.org/") == "communication"
    assert guess_category("Find the newest one and open it.", "not an address") == "other"


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_gets_one_of_the_categories(text, url):
    assert guess_category(text, f"https://example.org/{url}") in CATEGORIES
    assert guess_task_kind(text) in {ANSWER, ACTION}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Find the opening hours of the library.", ANSWER),
        ("Add the kettle to the basket.", ACTION),
        ("Add the kettle to the basket and tell me the total.", ANSWER),
        ("Could you add the kettle to the basket?", ACTION),
        ("Does the shop sell kettles?", ANSWER),
        ("Give the app a rating of five.", ACTION),
    ],
)
def test_who_wants_to_be_told_something_asks_for_an_answer(text, kind):
    assert guess_task_kind(text) == kind
