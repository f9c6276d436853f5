"""Known details are found in every spelling, and nothing else is taken for them."""

import html
import json
import re
import unicodedata
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.redaction import Kind, KnownDetails, read_as
from governance.redaction.known import _occurrences

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
    "in JSON": lambda detail: json.dumps(detail)[1:-1],
    "in JSON as it is": lambda detail: json.dumps(detail, ensure_ascii=False)[1:-1],
    "in a page": html.escape,
    "as references": lambda detail: "".join(f"&#{ord(letter)};" for letter in detail),
    "as JavaScript escaped it": lambda detail: "".join(
        f"%u{unit}" for unit in re.findall("....", detail.encode("utf-16-be").hex())
    ),
    "byte by byte": lambda detail: "".join(f"%{byte:02x}" for byte in detail.encode()),
}
TWICE = {
    "in an address inside an address": lambda detail: quote(quote(detail, safe=""), safe=""),
    "in a form inside an address": lambda detail: quote(quote_plus(detail), safe=""),
    "in JSON inside JSON": lambda detail: json.dumps(json.dumps(detail))[3:-3],
    "in JSON in an address": lambda detail: quote(json.dumps(detail)[1:-1], safe=""),
    "in an address in JSON": lambda detail: json.dumps(quote(detail, safe=""))[1:-1],
}


#: What ends a host that stands before it; before an @ stands no host.
not_of_hosts = st.characters(codec="utf-8").filter(lambda sign: not re.match(r"[\w.@-]", sign))


def _hidden(detail: str, text: str, kind: Kind = Kind.SECRET) -> str:
    return KnownDetails([(detail, kind)]).hidden(text)


@pytest.mark.parametrize("spelling", SPELLINGS | TWICE)
@given(detail=details)
def test_every_detail_goes_in_every_spelling(spelling, detail):
    written = (SPELLINGS | TWICE)[spelling](detail)
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


@given(
    st.one_of(not_of_hosts, st.sampled_from(["&next=", "):", '","greeting":"', '">', "\\n", "\\u0022", "%22", ":80,"]))
)
def test_a_detail_behind_an_address_without_a_path_goes(sign):
    assert (
        _hidden("correct-Horse7", f"https://shop.example{sign}correct-Horse7") == f"https://shop.example{sign}[secret]"
    )


@pytest.mark.parametrize(
    "host", ["shop.example", "müller.example:8080", "[2001:db8::1]", "[2001:db8::1]:443", "a_b.example"]
)
def test_a_detail_behind_any_host_goes(host):
    assert _hidden("hunter2-Secret9", f'"wss://{host}","hunter2-Secret9"') == f'"wss://{host}","[secret]"'


@pytest.mark.parametrize(
    "said",
    [
        "https://shop.example:hunter2-Secret9",
        "https://shop.example:4111-hunter2-Secret9",
        '{"site":"https://shop.example","user":"x@hunter2-Secret9"}',
        "https://shop.example,x@hunter2-Secret9",
        "https://hunter2-Secret9:p,w@shop.example",
    ],
)
def test_what_may_be_no_host_and_no_port_is_words(said):
    assert "hunter2" not in _hidden("hunter2-Secret9", said)
    assert _hidden("4111111111111111", "https://shop.example:4111111111111111") == "https://shop.example:[secret]"


def test_a_placeholder_stays_where_an_address_has_its_user():
    assert _hidden("secret", "https://[secret]@secret.example/") == "https://[secret]@secret.example/"


def test_of_details_that_overlap_the_longest_names_all():
    known = KnownDetails([("blue horse", Kind.PASSWORD), ("horse", Kind.NAME), ("horse battery", Kind.NAME)])
    assert known.hidden("a blue horse battery, a horse") == "a [name], a [name]"


def test_plain_words_stay_in_names_of_fields():
    known = KnownDetails([("text", Kind.PASSWORD), ("sunshine77xy", Kind.PASSWORD)])
    assert [known.hidden(name, in_names=True) for name in ("text", "sunshine77xy")] == ["text", "[password]"]


def test_what_reads_as_nothing_is_not_looked_for():
    assert _hidden("\u200b\u200b\u0301\u0301", "a\u200b\u200b\u0301\u0301") == "a\u200b\u200b\u0301\u0301"


@pytest.mark.parametrize("written", ["&#46;", "%2F%2F", "%65%65", "\\u002e", "pass&#46;"])
def test_what_a_written_out_detail_says_is_looked_for_only_from_the_least_length_on(written):
    known = KnownDetails([(written, Kind.SECRET)], shortest=SHORTEST)
    said = "See https://shop.example//pass a.b"
    assert known.hidden(f"{said} {written} pass.") == f"{said} [secret] " + (
        "[secret]" if "pass" in written else "pass."
    )


@pytest.mark.parametrize(
    "said",
    [
        "Anna+Maria%20Schmidt",
        "Anna%20Maria+Schmidt",
        "Anna%2BMaria%2520Schmidt",
        "Anna  Maria\n   Schmidt",
        "Anna\r\n\tMaria \u200b Schmidt",
        "Anna\\r\\n\\tMaria&nbsp; Schmidt",
        "%41nna%20Maria%20Schmidt%FF",
        "%FF%41nna%20Maria%20Schmidt",
    ],
)
def test_white_space_is_one_space_however_it_is_written(said):
    assert re.sub("%FF", "", _hidden("Anna Maria Schmidt", said, Kind.NAME)) == "[name]"


@pytest.mark.parametrize("detail", ['pä"ss\\w7!\\', "pass&#46", "C:\\new\\x7!", "p\\u0041ss%41-7", "&amp;a%2541b\\\\c"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_detail_that_looks_written_out_goes_too(detail, spelling):
    said = SPELLINGS[spelling](detail)
    assert re.fullmatch(r"<\[secret\]\\*>", _hidden(detail, f"<{said}>")), said


@given(st.text("\ud800\udfffab1!", min_size=1, max_size=8))
def test_half_a_pair_breaks_nothing(detail):
    told = _hidden(detail, f"x {detail} y")
    assert f" {detail} " not in told or not read_as(detail).strip()


@given(st.text("ab1!", min_size=1, max_size=9), st.text("ab1!", max_size=60), st.integers(1, 4))
def test_every_place_is_found_also_where_a_detail_overlaps_itself(unit, around, times):
    form = f"{unit * times}!a1b!1ab"[-9:]
    read = around + form * times + around
    assert [at for at, _ in _occurrences(form, read)] == [at for at in range(len(read)) if read.startswith(form, at)]


@given(details, st.text(max_size=40))
def test_a_detail_goes_whatever_stands_around_it(detail, around):
    assert f" {detail} " not in _hidden(detail, f"{around} {detail} {around}")
