"""Folding shows what a reader sees and never loses the way back."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.blindness.look_alikes import LOOK_ALIKES
from battles.blindness.normalise import fold, folded

any_text = st.text(st.characters(codec=None, exclude_categories=()))
invisible = st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u2063\u180e\x08\ue200")
letters = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1)


@given(any_text)
def test_every_folded_character_knows_its_origin(text):
    seen = fold(text)
    assert len(seen.origin) == len(seen.text)
    assert list(seen.origin) == sorted(seen.origin)
    assert all(0 <= index < len(text) for index in seen.origin)
    assert not seen.marks or len(seen.marks) == len(seen.text)


@given(any_text, st.data())
def test_a_span_covers_what_it_came_from(text, data):
    seen = fold(text)
    if not seen.text:
        return
    start = data.draw(st.integers(0, len(seen.text) - 1))
    end = data.draw(st.integers(start + 1, len(seen.text)))
    first, last = seen.span(start, end)
    assert 0 <= first < last <= len(text)
    assert seen.text[start:end] in folded(text[first:last])


@given(any_text)
def test_folding_twice_changes_nothing(text):
    assert folded(folded(text)) == folded(text)


@given(any_text)
def test_case_does_not_matter(text):
    single = "".join(character for character in text if len(character.upper()) == len(character.lower()) == 1)
    plain = "".join(character for character in single if character.isascii())
    assert folded(plain.upper()) == folded(plain.lower())


@given(letters, st.lists(st.tuples(st.integers(0, 30), invisible)))
def test_invisible_characters_are_not_seen_and_leave_a_mark(word, hidden):
    text = word
    for place, character in hidden:
        text = text[: place % (len(text) + 1)] + character + text[place % (len(text) + 1) :]
    seen = fold(text)
    assert seen.text == word
    first, last = seen.span(0, len(word))
    assert seen.disguised(0, len(word)) == (len(text[first:last]) > len(word))


@given(letters, st.data())
def test_look_alikes_are_seen_as_the_letter_and_leave_a_mark(word, data):
    looks = {letter: [look for look, seen in LOOK_ALIKES.items() if seen == letter] for letter in word}
    written = "".join(data.draw(st.sampled_from([letter, *looks[letter]])) for letter in word)
    seen = fold(written)
    assert seen.text == word
    assert seen.disguised(0, len(word)) == (written != word)


@pytest.mark.parametrize(
    "styled",
    ["ｇｅｍｉｎｉ", "𝔾𝕖𝕞𝕚𝕟𝕚", "Ⓖⓔⓜⓘⓝⓘ", "🅶🅴🅼🅸🅽🅸", "ɢᴇᴍɪɴɪ", "𝓖𝓮𝓶𝓲𝓷𝓲", "ᵍᵉᵐⁱⁿⁱ", "G̶e̶m̶i̶n̶i̶", "G̲e̲m̲i̲n̲i̲", "🄶🄴🄼🄸🄽🄸"],
)
def test_styled_letters_are_seen_and_count_as_disguise(styled):
    seen = fold(styled)
    assert seen.text == "gemini"
    assert seen.disguised(0, len(seen.text))


@pytest.mark.parametrize(
    ("written", "read"),
    [("Málaga", "malaga"), ("Ma\u0301laga", "malaga"), ("Łódź", "lodz"), ("İzmir", "izmir"), ("GPT\u20114o", "gpt-4o")],
)
def test_spelling_is_no_disguise(written, read):
    seen = fold(written)
    assert seen.text == read
    assert not seen.disguised(0, len(read))


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_only_put_in_lower_case(text):
    assert fold(text).text == text.lower()
    assert fold(text).span(0, len(text)) == (0, len(text)) if text else True


def test_letters_of_other_scripts_stay_letters():
    assert folded("ジェミニ") == unicodedata.normalize("NFC", "ジェミニ")
    assert folded("클로드") == "클로드"
