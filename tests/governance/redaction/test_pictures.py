"""From words and their boxes to what is masked: lines as a reader sees them, fields by what they ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.redaction.pictures import MARGIN, UNREAD, Box, Field, PageWords, PictureReader, Rectangle, Word

WIDTH, HEIGHT = 1280, 800


def _line(text: str, y: float, x: float = 10.0, each: float = 7.0) -> list[Word]:
    """Words of a line, drawn in letters of one width."""
    words = []
    for part in text.split(" "):
        words.append(Word(part, (Rectangle(x, y, each * len(part), 14),)))
        x += each * (len(part) + 1)
    return words


def _boxes(*words: Word, **other) -> tuple[Box, ...]:
    return PictureReader().boxes(PageWords(words=words, **other), width=WIDTH, height=HEIGHT)


def _field(kind: str = "text", autocomplete: str = "", *says: str, value: str = "") -> Field:
    return Field(Rectangle(10, 10, 200, 20), kind, autocomplete, says or ("",), value)


def test_the_words_of_a_detail_are_one_box_and_the_others_none():
    found = _boxes(*_line("Call +44 7700 900123 before noon", 100))
    assert found == (Box(43, 98, 109, 18, "phone"),)


def test_a_label_on_the_line_above_counts():
    above, below = _line("Date of birth", 100), _line("02/11/1990", 120)
    assert {box.kind for box in _boxes(*above, *below)} == {"date of birth"}
    assert not _boxes(*below)


def test_a_word_broken_over_two_lines_is_masked_on_both():
    word = Word("inga.holm@example.org", (Rectangle(1200, 50, 70, 14), Rectangle(10, 70, 60, 14)))
    assert [(box.x, box.y) for box in _boxes(word)] == [(8, 68), (1198, 48)]


def test_pieces_that_touch_are_one_word():
    pieces = [
        Word(text, (Rectangle(x, 50, width, 14),))
        for text, x, width in (("inga", 10, 28), ("@", 38, 7), ("example.org", 45, 77))
    ]
    assert [box.kind for box in _boxes(*pieces)] == ["e-mail"]
    apart = [Word(word.text, (word.boxes[0]._replace(x=word.boxes[0].x * 3),)) for word in pieces]
    assert "e-mail" not in {box.kind for box in _boxes(*apart[:1], *apart[2:])}


def test_a_number_inside_what_may_be_an_address_is_a_number_too():
    words = [
        word
        for y, line in enumerate(("12 Elm Street", "Springfield IL 62704", "Phone 202-555-0143"))
        for word in _line(line, 100 + 20 * y)
    ]
    assert {"address", "phone"} <= {box.kind for box in _boxes(*words)}


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        (_field("password"), "password"),
        (_field("email"), "e-mail"),
        (_field("tel"), "phone"),
        (_field("text", "section-a billing cc-number"), "card"),
        (_field("text", "one-time-code"), "secret"),
        (_field("select", "bday-year"), "date of birth"),
        (_field("text", "", "", "passport_number"), "identity number"),
        (_field("text", "", "Kennwort"), "password"),
        (_field("textarea", "", "Message", value="write to inga@example.org"), "e-mail"),
        (_field("button", "", "", value="Send to inga@example.org"), "e-mail"),
    ],
)
def test_fields_by_type_autocomplete_name_and_what_they_show(field: Field, kind: str):
    assert [box.kind for box in _boxes(fields=(field,))] == [kind]


@pytest.mark.parametrize(
    "field", [_field("search", "", "Search"), _field("submit", "", "Reset password"), _field("text", "off", "Quantity")]
)
def test_other_fields_stay_readable(field: Field):
    assert not _boxes(fields=(field,))


def test_what_nobody_could_look_into_is_masked_whole():
    assert _boxes(unread=(Rectangle(100, 100, 300, 200),)) == (Box(98, 98, 304, 204, UNREAD),)


@given(
    st.tuples(*[st.floats(-50, 1400)] * 2),
    st.tuples(*[st.floats(0.5, 400)] * 2),
)
def test_no_box_leaves_the_picture_or_cuts_what_it_covers(corner, size):
    x, y = corner
    width, height = size
    found = _boxes(unread=(Rectangle(x, y, width, height),))
    for box in found:
        assert 0 <= box.x <= max(0, x - MARGIN)
        assert box.x + box.width >= min(WIDTH, x + width)
        assert box.x + box.width <= WIDTH
        assert box.y + box.height <= HEIGHT
    seen = x + width > 0 and y + height > 0 and x < WIDTH and y < HEIGHT
    assert found or not seen


def test_a_picture_like_the_last_one_is_read_from_memory(monkeypatch: pytest.MonkeyPatch):
    read: list[str] = []
    real = PictureReader.boxes.__globals__["_details"]
    monkeypatch.setitem(PictureReader.boxes.__globals__, "_details", lambda text: read.append(text) or real(text))
    reader = PictureReader()
    lines = [f"Line {number} says nothing of anybody" for number in range(40)]

    def look(*extra: str) -> int:
        read.clear()
        words = [word for y, line in enumerate([*extra, *lines]) for word in _line(line, 15.0 * y)]
        reader.boxes(PageWords(words=tuple(words)), width=WIDTH, height=HEIGHT)
        return len(read)

    first = look()
    assert first > 3
    assert look() == 0
    assert look("A line above all others") <= 2
