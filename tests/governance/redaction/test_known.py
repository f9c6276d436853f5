"""Known details are found in every spelling, and nothing else is taken for them."""

import unicodedata
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.redaction import Kind, KnownDetails, read_as

SHORTEST = 4

letters = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs", "Cn"])
details = st.text(st.one_of(st.sampled_from("abcXYZ12ßİıſéᾳﬁ"), letters), min_size=SHORTEST, max_size=12).filter(
    lambda detail: len(read_as(detail)) >= SHORTEST and not detail.startswith("[") and "://" not in detail
)

SPELLINGS = {
    "as it is": lambda detail: detail,
    "in capitals": str.upper,
    "in small letters": str.lower,
    "as a title": str.title,
    "composed": lambda detail: unicodedata.normalize("NFC", detail),
    "decomposed": lambda detail: unicodedata.normalize("NFD", detail),
    "in an address": lambda detail: quote(detail, safe=""),
    "in an address, as browsers write it": lambda detail: quote(detail, safe="!'()*"),
    "in a form": quote_plus,
    "in an address inside an address": lambda detail: quote(quote(detail, safe=""), safe=""),
}


def _hidden(detail: str, text: str, kind: Kind = Kind.SECRET) -> str:
    return KnownDetails([(detail, kind)]).hidden(text)


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(detail=details)
def test_every_detail_goes_in_every_spelling(spelling, detail):
    written = SPELLINGS[spelling](detail)
    assert written not in _hidden(detail, f" {written} ")


@pytest.mark.parametrize(
    "detail", ["Straße1234", "Großvater7", "Weiß", "İstanbul34", "ısı12345", "ﬁnal1234", "ᾳὐτός12"]
)
def test_a_detail_goes_in_its_own_spelling_and_in_capitals(detail):
    known = KnownDetails([(detail, Kind.SECRET)])
    assert [known.hidden(f"the {said} there") for said in (detail, detail.upper(), detail.lower())] == (
        ["the [secret] there"] * 3
    )


@pytest.mark.parametrize("said", ["İSTANBUL34", "ıstanbul34", "İstanbul34", "istanbul34", "ISTANBUL34"])
def test_letters_that_capitals_alone_confuse_are_one(said):
    assert _hidden("istanbul34", said) == "[secret]"


def test_no_character_is_lost_for_its_capital_or_its_composition():
    points = [chr(point) for point in range(0x3000) if unicodedata.category(chr(point)) != "Cs"]
    for letter in points:
        spelled = (letter.upper(), letter.lower(), letter.title(), unicodedata.normalize("NFD", letter))
        assert {read_as(one) for one in spelled} == {read_as(letter)}, hex(ord(letter))


def test_accents_behind_the_last_letter_go_too():
    assert _hidden("sunshin\u00e9", "so sunshine\u0301 it is") == "so [secret] it is"


@pytest.mark.parametrize(
    "said",
    [
        "sunshine77xyでサインイン",
        "我用sunshine77xy登录了",
        "sunshine77xy으로 로그인했습니다",
        "ใช้sunshine77xyแล้ว",
        "sunshine77xyTwice",
        "mysunshine77xy",
        "sunshine\u200b77xy",
        "&#115;unshine77xy",
        "\\u0073unshine77xy",
    ],
)
def test_an_unmistakable_detail_goes_inside_words_too(said):
    assert "77xy" not in _hidden("sunshine77xy", said)


@pytest.mark.parametrize(
    ("detail", "said", "shown"),
    [
        ("anna", "anna joanna annals anna's ANNA_1 annaさん", "[name] joanna annals [name]'s [name]_1 [name]さん"),
        ("1234", "1234 12345 01234 v1234 1234円", "[name] 12345 01234 v[name] [name]円"),
        ("山田太郎", "私は山田太郎です", "私は[name]です"),
        ("김철수영", "김철수영이 왔다", "[name]이 왔다"),
        ("राम शर्मा", "राम शर्मा राम शर्माओं", "[name] राम शर्माओं"),
        ("mass", "maß straßmass", "[name] straßmass"),
        ("Amas", "Amaß", "Amaß"),
        ("4111 1111 1111 1111", "4111\n1111\u00a01111+1111 4111+1111+1111+1111", "4111\n1111\u00a01111+1111 [name]"),
    ],
)
def test_a_plain_word_or_number_goes_where_it_stands_by_itself(detail, said, shown):
    assert _hidden(detail, said, Kind.NAME) == shown


@pytest.mark.parametrize("detail", ["card", "https", "example", "anna", "e-mail", "identity number", "shop77example"])
def test_placeholders_schemes_and_hosts_are_never_touched(detail):
    said = "[card] [e-mail] [identity number] https://anna.example/ wss://inga@anna.example:80 https://shop77example?a"
    assert _hidden(detail, said) == said


def test_the_user_and_the_path_of_an_address_are_words():
    assert _hidden("anna", "https://anna:x@anna.example/anna?anna#anna") == (
        "https://[secret]:x@anna.example/[secret]?[secret]#[secret]"
    )


def test_of_details_that_overlap_the_longest_names_all():
    known = KnownDetails([("blue horse", Kind.PASSWORD), ("horse", Kind.NAME), ("horse battery", Kind.NAME)])
    assert known.hidden("a blue horse battery, a horse") == "a [name], a [name]"


def test_plain_words_stay_in_names_of_fields():
    known = KnownDetails([("text", Kind.PASSWORD), ("sunshine77xy", Kind.PASSWORD)])
    assert [known.hidden(name, in_names=True) for name in ("text", "sunshine77xy")] == ["text", "[password]"]


def test_what_reads_as_nothing_is_not_looked_for():
    assert _hidden("\u200b\u200b\u0301\u0301", "a\u200b\u200b\u0301\u0301") == "a\u200b\u200b\u0301\u0301"


@given(details, st.text(max_size=40))
def test_a_detail_goes_whatever_stands_around_it(detail, around):
    assert f" {detail} " not in _hidden(detail, f"{around} {detail} {around}")
