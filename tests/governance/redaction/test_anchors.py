"""Patterns that are tried only where they can begin find what they would find anywhere."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.redaction import anchors, find_details
from governance.redaction.anchors import Anchored, anchored, beginnings

find_details("")  # everything that is anchored is, from here on
SHIPPED = tuple(anchors._anchored)
PIECES = (
    "name: Name password PASSWORD= born né ıd İban ſsn PIN 密码 氏名 姓名 नाम token_ Dear Mr. Dr c/o e-mail at gmail "
    "12.03.1990 4242 - _ ' \" : , ( ) \n \t É ä 1 0 a Z User: typed into in field Bearer CVV street \u212a "
    "ssn 078-05-1120"
).split(" ")
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=14).map(" ".join)


@settings(max_examples=40)
@given(TEXTS, st.booleans())
def test_every_detector_finds_what_its_pattern_does(text, tight):
    text = text.replace(" ", "") if tight else text
    for each in SHIPPED:
        found = [match.span() for match in each.finditer(text)]
        assert found == [match.span() for match in each.pattern.finditer(text)], each.pattern.pattern[:60]


@given(
    st.sampled_from(
        [
            anchored("ab|b(?:c|d)+", re.I),
            anchored(r"(?<!x)[0-9]{2,3}[^0-9]"),
            anchored(r"(?:i|k)?s.", re.I),
            anchored(r"(?:a?b?){0,2}c"),
            anchored(r"(?<=a)b{2}?\w*?(?=c)"),
        ]
    ),
    st.text("abcdxikısſK0123 *é", max_size=12),
)
def test_optional_repeated_and_folded_beginnings_are_all_tried(each, text):
    assert [match.span() for match in each.finditer(text)] == [match.span() for match in each.pattern.finditer(text)]
    assert bool(each.search(text)) == bool(each.pattern.search(text))


def test_where_a_pattern_cannot_begin_it_is_not_tried():
    each = anchored("born", re.I)
    tried = []
    each._match = lambda text, at: tried.append(at)
    assert each.search("a barn, a born") is None
    assert tried == [10]


@pytest.mark.parametrize(
    ("pattern", "why"), [("a*", "no beginning"), ("(a)?b{0,3}", "no beginning"), (r"(a)?(?(1)c|d)", "GROUPREF")]
)
def test_what_may_match_nothing_or_depends_on_what_matched_is_refused(pattern, why):
    with pytest.raises(ValueError, match=why):
        beginnings(re.compile(pattern))


def test_a_pattern_that_comes_later_is_known_to_texts_that_were_read_before():
    text = "a quite new word"
    assert SHIPPED[0].search(text) is None
    assert Anchored(re.compile("quite")).search(text)
