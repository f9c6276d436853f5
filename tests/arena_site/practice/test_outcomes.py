"""Answers are read as a person means them: free wording, strict value, no lists of guesses."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_site.practice import register_practice_sites
from arena_site.practice.outcomes import (
    LONGEST_ANSWER,
    by_answer,
    plain,
    same_text,
    says_amount,
    says_date,
    says_duration,
    says_name,
    says_number,
    says_time,
)
from battles.checks import practice_hosts, practice_tasks

register_practice_sites()
AMOUNTS = st.integers(1, 99_999)
LINKS = st.sampled_from([" or ", ", ", " and ", " / ", "; ", " to ", "\n"])


def euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


@pytest.mark.parametrize(
    "answer",
    ["39", "€39", "€39.00", "39,00 €", "It costs 39 euros.", "39 EUR", "EUR 39.00", "**39.00 €**",
     "39 euros and 0 cents", "The kettle (1.6 litres) costs €39.00."],
)  # fmt: skip
def test_an_amount_may_be_said_in_many_ways(answer):
    assert says_amount(plain(answer), 3900)


@pytest.mark.parametrize(
    "answer",
    ["", "39 or 49 euros", "49 or 39 euros", "€39 or 49", "€38.00, €39.00", "29, 39 euros", "390", "€3.90", "39.50",
     "between 35 and 39 euros", "thirty", "€39.005"],
)  # fmt: skip
def test_another_amount_or_several_are_not_the_amount(answer):
    assert not says_amount(plain(answer), 3900)


@given(AMOUNTS, AMOUNTS, LINKS)
def test_an_amount_passes_alone_and_never_beside_a_guess(right, other, link):
    assert says_amount(plain(f"It costs €{euros(right)}."), right)
    assert says_amount(plain(f"{euros(right)} euros"), right)
    if right != other:
        assert not says_amount(plain(f"€{euros(other)}"), right)
        for first, second in ((right, other), (other, right)):
            assert not says_amount(plain(f"{euros(first)}{link}{euros(second)}"), right)
            assert not says_amount(plain(f"€{euros(first)}{link}€{euros(second)}"), right)


@pytest.mark.parametrize(
    "answer", ["45", "45 days", "forty-five days", "Within 45 days of receiving them.", "45-day period, since 2012"]
)
def test_a_number_may_be_said_in_many_ways(answer):
    assert says_number(plain(answer), 45, unit="days?")


@pytest.mark.parametrize(
    "answer", ["30 or 45 days", "45 days or 30", "30, 45 days", "45 or 60", "14", "30 days; 45 days", "4.5 days", "450"]
)
def test_another_number_or_several_are_not_the_number(answer):
    assert not says_number(plain(answer), 45, unit="days?")


@pytest.mark.parametrize(
    "answer", ["14:24", "2:24 pm", "2.24 p.m.", "1424", "14h24", "It leaves at 14:24 and arrives at 15:39."]
)
def test_a_time_may_be_said_in_many_ways(answer):
    assert says_time(plain(answer), "14:24", also=["15:39"])


@pytest.mark.parametrize(
    "answer", ["2:24", "14:24 or 15:39", "14:24 or 14:54", "15:39", "24:24", "2:24 am", "quarter past"]
)
def test_another_time_or_several_are_not_the_time(answer):
    assert not says_time(plain(answer), "14:24", also=["15:39"])


@given(st.integers(0, 1439), st.integers(0, 1439), LINKS)
def test_a_time_passes_alone_and_never_beside_a_guess(right, other, link):
    def clock(minute: int) -> str:
        return f"{minute // 60:02d}:{minute % 60:02d}"

    half_day = f"{(right // 60 - 1) % 12 + 1}:{right % 60:02d} {'pm' if right >= 720 else 'am'}"
    assert says_time(plain(f"At {clock(right)}."), clock(right))
    assert says_time(plain(half_day), clock(right))
    if right != other:
        assert not says_time(plain(f"{clock(right)}{link}{clock(other)}"), clock(right))


@pytest.mark.parametrize("answer", ["75 minutes", "1 h 15 min", "1h15m", "1:15 hours", "1 hour and 15 minutes"])
def test_a_duration_may_be_said_in_many_ways(answer):
    assert says_duration(plain(answer), 75)


@pytest.mark.parametrize("answer", ["75", "70 or 75 minutes", "75 minutes or 80", "1 hour", "15 minutes", "75 hours"])
def test_another_duration_or_several_are_not_the_duration(answer):
    assert not says_duration(plain(answer), 75)


@given(st.integers(0, 200), st.integers(1, 40), LINKS)
def test_a_date_passes_in_its_usual_forms_and_never_beside_a_guess(offset, apart, link):
    day = date(2027, 1, 13) + timedelta(days=offset)
    other = day + timedelta(days=apart)
    forms = [f"{day.day} {day:%B %Y}", f"{day:%A}, {day:%B} {day.day}, {day.year}", f"the {day.day}th of {day:%B}",
             day.isoformat(), f"{day.day} {day:%b}"]  # fmt: skip
    for form in forms:
        assert says_date(plain(form), day), form
        assert not says_date(plain(f"{form}{link}{other.day} {other:%B}"), day)
        assert not says_date(plain(f"{other.day} {other:%B}{link}{form}"), day)
    if other.month == day.month:
        assert not says_date(plain(f"{other.day} or {day.day} {day:%B}"), day)
        assert not says_date(plain(f"{day:%B} {day.day} or {other.day}"), day)


@pytest.mark.parametrize("answer", ["03/30/2027", "30.03.2027", "30.3.", "30/3"])
def test_a_date_in_figures_counts_when_it_can_be_read_one_way(answer):
    assert says_date(plain(answer), date(2027, 3, 30))


def test_a_name_passes_alone_in_any_of_its_spellings():
    among = {"Ambrose, Pell": ["Pell Ambrose", "Ambrose"], "Renn, Tobiah": ["Tobiah Renn", "Renn"]}
    for answer in ("Pell Ambrose", "It was written by Ambrose, Pell.", "AMBROSE"):
        assert says_name(answer, "Ambrose, Pell", among)
    for answer in ("", "Pell", "Tobiah Renn", "Pell Ambrose, Tobiah Renn", "Ambrosewood"):
        assert not says_name(answer, "Ambrose, Pell", among)


def test_a_longer_name_is_not_taken_for_the_shorter_one_in_it():
    among = ["Pantry jar", "Pantry jar, large"]
    assert says_name("The Pantry jar, large", "Pantry jar, large", among)
    assert not says_name("The Pantry jar, large", "Pantry jar", among)


@given(st.text(max_size=80))
def test_text_compares_equal_to_itself_apart_from_case_and_blanks(text):
    assert same_text(f"  {text} ", text)
    assert same_text(plain(text), text)


def test_a_page_copied_out_is_no_answer():
    check = by_answer(lambda text: "39" in text)
    assert check(None, "39")
    assert not check(None, "39 " + "x" * LONGEST_ANSWER)


@settings(deadline=None)
@given(st.text(max_size=LONGEST_ANSWER) | st.text("0123456789.,:€- ormahpdys/", max_size=LONGEST_ANSWER))
def test_no_answer_breaks_a_check_and_none_does_an_action(answer):
    sites = {host: factory() for host, factory in practice_hosts().items()}
    for task in practice_tasks().values():
        passed = task.check(sites[task.host], answer)
        assert passed is False or (passed is True and task.kind == "answer")
