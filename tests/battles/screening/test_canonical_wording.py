"""Texts that say the same are spelled the same; texts that say something else are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.screening.canonical_wording import NUMBER, plain_text, words

PLAIN = "find the read-only shop's opening hours on 12 may"


@pytest.mark.parametrize(
    "disguised",
    [
        "FIND THE READ-ONLY SHOP'S OPENING HOURS ON 12 MAY",
        "Find   the read-only\n\nshop\u2019s opening hours on 12\u00a0May",
        "Fi\u200bnd the re\u00adad\u2011only shop\u02bcs open\u2060ing hours on 12 May",
        "\uff26\uff49\uff4e\uff44 the read\u2013only shop's opening hours on 12 May",
        "f\u0456nd the r\u0435ad-only sh\u043ep's \u043epening hours on 31 May",
        "find the read - only shop's opening hours , on 12 May .",
        "F\u00efnd th\u00e9 read-only shop's open\u0301ing hours on 1,200 May",
    ],
)
def test_disguises_do_not_change_the_words(disguised):
    assert words(disguised) == words(PLAIN)


def test_plain_text_keeps_punctuation_and_numbers():
    assert plain_text("  Pay \u201e12,50 \u20ac\u201c\u2009\u2014 today! ") == 'pay "12,50 \u20ac" - today!'


@pytest.mark.parametrize("date", ["2/16/2023", "2023-02-16", "16 . 2 . 2023", "12", "1,200.50", "\u0663\u0664"])
def test_every_number_is_the_same_mark(date):
    assert words(f"on {date} at noon") == ["on", NUMBER, "at", "noon"]


def test_digits_end_a_word():
    assert words("7am") == words("7 am") == [NUMBER, "am"]


def test_scripts_without_spaces_become_pairs_of_characters():
    assert words("\u8fd4\u54c1\u653f\u7b56 shop") == ["\u8fd4\u54c1", "\u54c1\u653f", "\u653f\u7b56", "shop"]
    assert words("\u5e97") == ["\u5e97"]


def test_real_cyrillic_is_left_alone():
    assert words("\u0441\u043e\u043a") != words("cok")


@given(st.text(max_size=300))
def test_words_hold_no_space_and_no_upper_case(text):
    for word in words(text):
        assert word
        assert not any(character.isspace() for character in word)
        assert word == word.casefold()


@given(st.text(max_size=200))
def test_plain_text_is_stable(text):
    once = plain_text(text)
    assert words(once) == words(text) or not text.isascii()
