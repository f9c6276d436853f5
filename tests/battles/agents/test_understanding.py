"""What the reference agents make of words alone, on places they were not made for."""

import pytest

from battles.agents.reference.answering import find_answer
from battles.agents.reference.givens import given_values
from battles.agents.reference.instruction import understand
from battles.agents.reference.pages import take_apart
from battles.agents.reference.values import date_parts


def givens(text):
    return {(given.text, given.kind) for given in understand(text).givens}


def test_values_are_taken_with_their_kinds():
    text = 'Order two loaves of "Seeded rye" for 4 May 2027 at 9:30, and write to "ida@example.test".'
    assert givens(text) == {
        ("2", "number"),
        ("Seeded rye", "quoted"),
        ("4 May 2027", "date"),
        ("09:30", "time"),
        ("ida@example.test", "mail"),
    }


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("How much does a child's ticket for the ice rink cost?", True),
        ("Which pitch at the campsite has its own water tap?", True),
        ('Book the "Willow" pitch for three nights.', False),
        ('Please sign me up for the newsletter with "a@example.test".', False),
        ("Cancel my appointment at the clinic.", False),
    ],
)
def test_questions_are_told_from_errands(text, asks):
    assert understand(text).asks is asks


def test_a_thing_is_told_from_what_fills_a_field():
    wish = understand('Order one "Seeded rye". My name is "Ida Brandt" and the note is "Please slice it".')
    assert [thing.text for thing in wish.things] == ["Seeded rye"]


RINK = """Opening hours and prices
Monday to Friday\t14:00 to 21:00
Saturday\t10:00 to 22:00
Prices
Ticket\tPrice
Adult\t€7.50
Child under 12\t€4.20
Skate hire\t€3.00"""


@pytest.mark.parametrize("asked", ["Find the fıve cheapest items", "Find the SİX on 3 ſep 2026", "Is 3 aprİl free?"])
def test_letters_that_only_match_those_of_a_number_or_a_month_are_words(asked):
    assert not {"5", "6"} & {given.text for given in given_values(asked)}
    assert date_parts(asked) is None
    assert understand(asked)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much does a child's ticket for the ice rink cost?", "€4.20"),
        ("What is the price of skate hire?", "€3.00"),
    ],
)
def test_a_price_is_found_in_its_row(question, answer):
    found = find_answer(understand(question), take_apart("Ice rink", RINK))
    assert found is not None
    assert found.text == answer


PITCHES = """Pitches
Pitch\tSize\tPrice a night
Willow\t80 m2\t€19.00
Alder\t100 m2\t€24.00
Birch\t60 m2\t€15.50"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which is the cheapest pitch? Tell me its name.", "Birch"),
        ("Which is the most expensive pitch? Tell me its name.", "Alder"),
    ],
)
def test_the_extreme_of_a_column_names_its_row(question, answer):
    found = find_answer(understand(question), take_apart("Pitches of the campsite", PITCHES))
    assert found is not None
    assert found.text == answer


def test_an_empty_page_has_no_answer():
    assert find_answer(understand("How much is it?"), take_apart("", "")) is None
