"""Values in answers that captured pages hold as well."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.evidence import Part, answer_parts


def found(answer, *texts):
    """The pieces of an answer that were seen, with the step."""
    parts = answer_parts(answer, {number: [text] for number, text in enumerate(texts, start=1)})
    return [(part.text, part.step) for part in parts if part.step is not None]


@pytest.mark.parametrize(
    ("answer", "page"),
    [
        ("It costs 34.90.", "Blue kettle CHF 34.90 in stock"),
        ("It costs 34,90 EUR", "Price: 34.9"),
        ("About 1,250 people", "1250 visitors"),
        ("About 1'250 people", "1.250 Besucher"),
        ("On 2026-03-14.", "Saturday, 14 March 2026"),
        ("On March 14th, 2026", "14.03.2026"),
        ("Sept 3", "open from 3 September"),
        ("It opens at 9:30 am.", "Opening hours 09:30"),
        ("It closes at 21:05", "until 9:05 p.m."),
        ("Maria de la Cruz wrote it", "by MARIA DE LA  CRUZ, 1999"),
        ("Ambrose, Pell", "by Ambrose, Pell, 2001"),
        ("It is by Ambrose, Pell and cheap", "AMBROSE PELL"),
        ("on the shelf", "On the shelf: Millgate"),
        ("The title is “hedge almanac”.", "The Hedge Almanac"),
        ("The Hedge Almanac is there", "hedge almanac"),
    ],
)
def test_a_value_is_found_however_it_is_written(answer, page):
    assert [step for _, step in found(answer, page)] == [1]


@pytest.mark.parametrize(
    ("answer", "page"),
    [
        ("It costs 34.90.", "Red kettle 39.90"),
        ("It costs 34.90.", "item 134.90"),
        ("It costs 90", "34.90"),
        ("There are 2 of them", "2 of 2"),
        ("On 14 March", "14 May"),
        ("It is 9:30", "19:30"),
        ("It is 9:30 pm", "9:30 am"),
        ("Anna Lind wrote it", "Johanna Lindgren"),
        ("Anna Lind wrote it", "Anna and Lind"),
        ("On 31.13.2026", "31.13.2026"),
        ("Done", "Done"),
    ],
)
def test_another_value_is_not(answer, page):
    assert found(answer, page) == []


def test_the_last_step_that_shows_it_is_named():
    assert found("34.90", "34.90", "39.90", "34.90 again", "") == [("34.90", 3)]


def test_several_values_each_have_their_step():
    text = "Anna Lind, 14 March, 34.90."
    assert found(text, "price 34.90", "14 March: Anna Lind") == [("Anna Lind", 2), ("14 March", 2), ("34.90", 1)]


def test_without_captured_texts_the_answer_is_one_piece():
    assert answer_parts("It costs 34.90.", {}) == [Part("It costs 34.90.", None)]
    assert answer_parts("", {}) == []


@given(st.text(max_size=300), st.text(max_size=300))
def test_the_pieces_joined_are_the_answer(answer, page):
    assert "".join(part.text for part in answer_parts(answer, {1: [page]})) == answer


@given(st.integers(10, 10**9))
def test_every_number_of_two_digits_is_found_as_it_stands(number):
    assert found(f"So {number} it is", f"row: {number};") == [(str(number), 1)]


def test_a_hostile_text_takes_no_time():
    hostile = "A " * 20_000 + "1," * 20_000 + "“" * 5_000 + "Jan " * 5_000
    began = time.perf_counter()
    answer_parts(hostile, {number: [hostile] for number in range(5)})
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("written", ["3 aprİl", "3 ſept", "Aprİl 3"])
def test_letters_that_only_match_those_of_a_month_are_no_date(written):
    assert found(f"It was {written}.", f"Since {written}.") == []
