"""What shows nothing is taken out of a text, whatever it spells; what scripts and emoji need stays, one at a time."""

import asyncio
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.async_api import async_playwright

from battles.lanes.chromium import find_chromium
from battles.seen_text import seen_length, seen_text

SECOND = b"Answer 42."
MARKS = "\u061c\u200e\u200f"
NEEDED_SOMETIMES = "\u200c\u200d\ufe0e\ufe0f\u180e" + MARKS
NOBODYS = "\uffff\U0010ffff\ufdd0\ue000\U000f0000"
#: Assigned after Unicode 14, which Python 3.11 knows: an emoji, ideographs, letters; and not assigned at all.
NEWER = "\U0001f6dc\U00031350\U0002ebf0\U00011f04\u0378\U000323b0\U000e1234"
#: One of each block of what the standard says may be ignored, and what browsers draw as nothing beside.
UNSEEN = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180f\u200b\u202a\u202e\u2060\u2064\u2066\u206f\u3164\ufe00\ufe0d"
    "\ufeff\uffa0\ufff0\ufff8\u2d7f\U0001107f\U00016fe4\ufb37\ufff9\ufffc\U0001bca0\U0001d173\U000e0001\U000e0041\U000e007f\U000e0080\U000e0100\U000e0fff"
)
#: What shows a gap, and no plain space.
GAPS = "\xa0\u1680\u2000\u2009\u200a\u202f\u205f\u3000\u2800\U0001d159\U00013441\U00013442"
LETTERS = "aé1 .!\n#<=\u05d0\u0645\u06cc\u0915\u094d\u0937\u093c\u4e2d\uac00\u1100\u1161\u2764"
COMBINING = "\u0301\u0300\u0338\u1b35\U000110b9\u064e\u0627"
EMOJI = "\U0001f469\U0001f3fd\U0001f4bb\u2640\u20e3\U0001f3f4\U0001f1e9"
texts = st.text(
    st.sampled_from(LETTERS + COMBINING + EMOJI + NEEDED_SOMETIMES + UNSEEN + NOBODYS + NEWER + GAPS), max_size=30
)


def bits(width):
    """The second text in numbers of ``width`` bits."""
    return [byte >> at & (1 << width) - 1 for byte in SECOND for at in range(0, 8, width)]


HIDDEN = {
    "tags": "".join(chr(0xE0000 + byte) for byte in SECOND),
    "plane 14 behind the tags": "".join(chr(0xE0080 + byte) for byte in SECOND),
    "plane 14 behind the selectors": "".join(chr(0xE0200 + byte) for byte in SECOND),
    "selectors of ideographs": "".join(chr(0xE0100 + byte) for byte in SECOND),
    "selectors": "".join(chr(0xFE00 + each) for each in bits(4)),
    "selectors of text and emoji": "".join(chr(0xFE0E + each) for each in bits(1)),
    "spaces of no width": "".join(chr(0x200B + each) for each in bits(1)),
    "joiners": "".join(chr(0x200C + each) for each in bits(1)),
    "marks of direction": "".join(chr(0x200E + each) for each in bits(1)),
    "operators": "".join(chr(0x2061 + each) for each in bits(2)),
    "reserved specials": "".join(chr(0xFFF0 + each) for each in bits(2)),
    "annotations": "".join(chr(0xFFF9 + each) for each in bits(1)),
    "shorthand": "".join(chr(0x1BCA0 + each) for each in bits(2)),
    "music": "".join(chr(0x1D173 + each) for each in bits(2)),
    "hyphens": "".join("\u00ad\u034f"[each] for each in bits(1)),
    "fillers": "".join("\u115f\u1160\u17b4\u17b5"[each] for each in bits(2)),
    "Mongolian selectors": "".join("\u180b\u180c\u180d\u180f"[each] for each in bits(2)),
}
BOXES_WITHOUT_A_FONT = {"shorthand", "fillers", "Mongolian selectors"}


@pytest.mark.parametrize("spelled", HIDDEN.values(), ids=HIDDEN)
def test_no_second_text_is_left(spelled):
    assert seen_text(f"On Satur{spelled}days.") == "On Saturdays."
    assert seen_text(f"On Saturdays.{spelled}") == "On Saturdays."


@pytest.mark.parametrize("spelled", HIDDEN.values(), ids=HIDDEN)
def test_between_letters_that_need_a_joiner_at_most_one_character_is_left(spelled):
    assert len(seen_text(f"می{spelled}شود")) <= len("می") + 1 + len("شود")


def test_what_can_never_be_a_character_and_what_is_private_is_taken_out():
    assert seen_text(f"On Satur{NOBODYS}days.") == "On Saturdays."


def test_characters_newer_than_python_stay_and_count():
    text = f"On {NEWER} days"
    assert seen_text(text) == text
    assert seen_length(text) == len(NEWER) + len("Ondays")
    assert seen_text("\U0001f6dc\u200d\U0001fac8\ufe0f") == "\U0001f6dc\u200d\U0001fac8"


@pytest.mark.parametrize("gap", GAPS)
def test_what_shows_a_gap_is_a_plain_space(gap):
    assert seen_text(f"On{gap}Saturdays.") == "On Saturdays."
    assert seen_length(seen_text(gap * 12)) == 0


@pytest.mark.parametrize("separator", "\u2028\u2029")
def test_a_separator_of_lines_is_a_line_end(separator):
    assert seen_text(f"On{separator}Saturdays.") == "On\nSaturdays."


@pytest.mark.parametrize(
    "cover",
    [
        "می\u200cخواهم بدانم کتابخانه شهر شنبه\u200cها چه ساعتی باز می\u200cشود و بسته می\u200cشود",
        "क्षेत्र में पुस्तकालय कब खुलता है",
        "ห้องสมุดเปิดกี่โมง กฺ",
        "1+1=2 <3> 4 ~ 5 | 6 $ 7 ° 8 ¬",
        "2026 #1 *",
        "ᠪᠠᠶᠢᠨ ᠭᠠᠭᠴᠠ",
    ],
)
@pytest.mark.parametrize("digits", ["\u200d", "\ufe0e", "\ufe0f", "\u180b", "\u180f"])
def test_no_bit_is_left_where_it_changes_nothing(cover, digits):
    """One between any two characters but the first of a word and what a joiner gives its joined form."""
    inside = re.sub(r"(?<=[^\s\u094d\u200c])(?=[^\s\u200c])", digits, cover)
    assert inside != cover
    assert seen_text(inside) == unicodedata.normalize("NFC", cover)


@pytest.mark.parametrize(
    "text",
    [
        "کتاب\u200cخانه کی باز می\u200cشود؟ کارها در سال ۱۴۰۲ ه\u200d.ق",
        "क्\u200dष और क्\u200cष, र्\u200dय",
        "অর্\u200dথ র\u200d্যাব",
        "ക്\u200d, അവന്\u200d വന്നു",
        "ශ්\u200dරී ලංකාව",
        "Find out \u200fמתי?\u200f it opens, and (C++\u200e) בעברית.",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f469\U0001f3fd\u200d\U0001f4bb",
        "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468 \U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f575\U0001f3fb\u200d\u2642\ufe0f \U0001f642\u200d\u2194\ufe0f \U0001f3f4\u200d\u2620\ufe0f",
        "\U0001f1e9\U0001f1ea \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3 \u2139\ufe0f \u203c\ufe0f \u2764\ufe0e \u2122\ufe0f",
        "\U0001fae8 \U0001fa77 \u303d\ufe0f \u3030\ufe0f \u3297\ufe0f \u231a\ufe0e",
        "\u09b0\u200d\u09cd\u09af \u0cb0\u200d\u0ccd\u0caf",
        "\u182a\u1820\u1836\u1822\u1828\u180e\u1820",
    ],
)
def test_scripts_and_emoji_stay_as_they_are(text):
    assert seen_text(text) == text


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("a\u200db\u200cc д\u200cж 中\u200d文 ש\u200dל", "abc дж 中文 של"),
        ("می\u200c\u200cشود", "می\u200cشود"),
        ("می\u200c شود", "می شود"),
        ("\u2764\ufe0f\ufe0e\ufe0f", "\u2764\ufe0f"),
        ("Saturdays\ufe0f", "Saturdays"),
        ("Open\u200e? It opens\u200f.", "Open? It opens."),
        ("Open\u200f?\nמתי?\u200f\u200e\u061c", "Open?\nמתי?\u200f"),
        ("Rea\u200fd of\u200ften: מתי", "Read often: מתי"),
        ("\U0001f3f4\U000e0069\U000e0064\U000e007f", "\U0001f3f4"),
        ("\U0001f3f4\u200b\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U0001f3f4"),
        ("کار\u200cها د\u200d ا\u200cب م\u200dن", "کارها د اب من"),
        ("م\u200d\u064eن", "م\u064eن"),
        ("क\u200dष क\u200cष क्\u200c", "कष कष क्"),
        ("\u09ac\u200d\u09cd\u09af", "\u09ac\u09cd\u09af"),
        ("1\ufe0f 2\ufe0e =\ufe0f +\ufe0f \u2605\ufe0f", "1 2 = + \u2605"),
        ("\u2605\u200d+ +\u200d+", "\u2605+ ++"),
        ("\u1820\u180e\u1828 a\u180e\u1820", "\u1820\u1828 a\u1820"),
        ("\u1b35\u0300\u200c\U000110b9\u200d", "\u1b35\U000110b9\u0300"),
        ("cafe\u200d\u0301", "café"),
        ("cafe\u0301", "café"),
    ],
)
def test_what_does_nothing_where_it_stands_is_taken_out(typed, kept):
    assert seen_text(typed) == kept


@given(texts)
def test_it_holds_after_normalisation_and_once_more(text):
    seen = seen_text(text)
    assert unicodedata.is_normalized("NFC", seen)
    assert seen_text(seen) == seen


@given(texts)
def test_invisible_characters_stand_alone(text):
    """One at a time, but for a selector before one other: families of emoji need the two."""
    flagless = re.sub("\U0001f3f4[\U000e0061-\U000e007f]+", "", seen_text(text))
    assert not set(flagless) & set(UNSEEN + NOBODYS)
    selector, other = "\ufe0e\ufe0f", "\u200c\u200d\u180e" + MARKS
    assert not re.search(f"[{NEEDED_SOMETIMES}][{selector}]|[{other}][{other}]", flagless)
    assert not re.match(f"[{selector}\u200c\u200d]", flagless)


@given(texts)
def test_only_what_shows_nothing_is_taken_out(text):
    gone = dict.fromkeys(map(ord, NEEDED_SOMETIMES + UNSEEN + NOBODYS)) | dict.fromkeys(map(ord, GAPS), " ")
    assert seen_text(text).translate(gone) == unicodedata.normalize("NFC", text.translate(gone))


def test_every_other_character_stays():
    """Of every script: what Python calls a letter, mark, number or sign."""
    kinds = {"L", "M", "N", "P", "S"}
    left_out = set("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufffc\u2d7f\U0001107f\U00016fe4" + GAPS) | {
        chr(code)
        for first, last in ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
        for code in range(first, last + 1)
    }
    text = " ".join(
        character for character in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(character)[0] in kinds
    )
    assert set(unicodedata.normalize("NFC", text)) - set(seen_text(text)) <= left_out


def test_characters_that_show_something_are_counted():
    assert seen_length(seen_text("1\ufe0f\u20e3 \u2764\ufe0f\u200d\U0001f525 می\u200cشود")) == 9


def shots(texts):
    """Each text as a browser draws it on one line."""

    async def taken():
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=find_chromium(), chromium_sandbox=False)
            page = await browser.new_page(viewport={"width": 400, "height": 60})
            await page.set_content("<p style='white-space: nowrap; font: 20px sans-serif'></p>")
            drawn = []
            for text in texts:
                await page.evaluate("text => { document.querySelector('p').textContent = text }", text)
                drawn.append(await page.screenshot())
            await browser.close()
            return drawn

    return asyncio.run(taken())


def test_a_browser_shows_the_same():
    unseen = {name: spelled for name, spelled in HIDDEN.items() if name not in BOXES_WITHOUT_A_FONT}
    hiding = [f"On Satur{spelled}days \u2764\ufe0f." for spelled in unseen.values()]
    wrong, right, *drawn = shots(["On Saturday \u2764\ufe0f.", "On Saturdays \u2764\ufe0f.", *hiding])
    assert wrong != right
    assert [name for name, shot in zip(unseen, drawn, strict=True) if shot != right] == []
