"""What pages and models send is kept as far as a database can hold it."""

from hypothesis import given
from hypothesis import strategies as st

from battles.lanes.storable_text import storable

anything = st.text(st.characters(codec=None, exclude_categories=()))


@given(anything)
def test_every_text_becomes_one_that_can_be_stored(text):
    stored = storable(text)
    assert "\0" not in stored
    stored.encode("utf-8")


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))))
def test_text_that_can_be_stored_stays_as_it_is(text):
    assert storable(text) == text


def test_structures_are_walked_with_their_keys():
    assert storable({"a\0": [{"b": "\ud800x"}], "n": 1, "t": None}) == {"a�": [{"b": "�x"}], "n": 1, "t": None}
