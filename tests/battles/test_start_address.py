"""What judges see of a start address is what browsers send: nothing in it is unseen, and it leads where it led."""

import pytest
from ada_url import URL
from hypothesis import given
from hypothesis import strategies as st

from battles.intake import TaskRefused, clean_start_url
from battles.seen_text import seen_text

HIDDEN = (
    "\u202e\u200b\u200c\u200d\u200f\u00ad\u034f\u115f\u3164\ufe0f\u2800\u3000\u00a0\U0001d159\U000e0041\ue000\ufdd0"
)


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("place", ["/a{}b", "/{}", "?q=a{}b", "/#a{}b", "/?q#{}b"])
def test_what_nobody_sees_is_written_out_behind_the_host(hidden, place):
    typed = "https://example.org" + place.format(hidden)
    assert clean_start_url(typed.strip()).isascii()
    assert URL(clean_start_url(typed)).href == URL(typed.strip()).href


@pytest.mark.parametrize("hidden", [*HIDDEN, "\x00", "\t", "\n", "\x85", "\u2028", "\ud800", "\\"])
def test_in_a_host_it_is_refused(hidden):
    with pytest.raises(TaskRefused) as refusal:
        clean_start_url(f"https://exam{hidden}ple.org/")
    assert (refusal.value.code, refusal.value.field) == ("start_url_refused", "start_url")


@pytest.mark.parametrize("character", ["\x00", "\t", "\n", "\x1b", "\x85", "\u2028", "\ud800"])
@pytest.mark.parametrize("place", ["/a{}b", "/?q=a{}b", "/#a{}b"])
def test_what_no_address_has_is_refused_everywhere(character, place):
    with pytest.raises(TaskRefused) as refusal:
        clean_start_url("https://example.org" + place.format(character))
    assert refusal.value.code == "start_url_refused"


@pytest.mark.parametrize("host", ["a\u05d0.com", "na\u200cme.com", "exa\u0378mple.org", "\u2100.com", "1\u0661.com"])
def test_a_host_that_idna_refuses_is_refused(host):
    with pytest.raises(TaskRefused) as refusal:
        clean_start_url(f"https://{host}/")
    assert refusal.value.code == "start_url_refused"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://example.org/caf\u00e9/Stra\u00dfe?ort=\u4eac\u90fd#\u0645\u062a\u0649", None),
        ("https://m\u00fcnchen.de:443/", None),
        ("https://\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com/", None),
        ("https://xn--mnchen-3ya.de/", None),
        ("HTTPS://Example.ORG/a%20b", None),
        ("https://M\u00dcNCHEN\u3002de", "https://m\u00fcnchen.de"),
        ("https://\uff45xample.org/", "https://example.org/"),
        ("https://\u0430pple.com/", "https://xn--pple-43d.com/"),
        # Greek and Cyrillic are not written in one word; the scripts of Japanese are.
        ("https://\u03b1\u03b2\u0432.com/", "https://xn--mxac89a.com/"),
        ("https://\u6771\u4eac\u30bf\u30ef\u30fc.jp/", None),
        ("https://example.org/a b", "https://example.org/a%20b"),
        ("https://example.org/e\u0301", "https://example.org/e%CC%81"),
        ("https://example.org/\u00e9?e\u0301\u200b=\u212b", "https://example.org/%C3%A9?e%CC%81%E2%80%8B=%E2%84%AB"),
        ("https://example.org/\u0645\u06cc\u200c\u062e", "https://example.org/\u0645\u06cc%E2%80%8C\u062e"),
    ],
)
def test_letters_stay_readable_where_they_stand_for_themselves(typed, kept):
    assert clean_start_url(typed) == (kept or typed)


LETTERS = (
    "aZ1 %/?#=&.+\\'\"<\u00e9\u0301\u00df\u0645\u05d0\u0915\u094d\u4eac\u212b\u0130\u1100\u1161\u2764\U0001f6dc\u0378"
)


@given(st.text(st.sampled_from(LETTERS + HIDDEN), max_size=20))
def test_it_leads_where_it_led_and_holds_nothing_that_an_instruction_would_lose(rest):
    typed = f"https://example.org/?{rest}".strip()
    seen = clean_start_url(typed)
    assert URL(seen).href == URL(typed).href
    assert seen_text(seen) == seen
    assert not set(seen) & set(HIDDEN)
    assert clean_start_url(seen) == seen


@given(
    st.text(
        st.sampled_from("aZ1-.\u00e9\u00c9\u0301\u00df\u0645\u05d0\u0915\u094d\u4eac\u0430\uff45\u3002\u2764" + HIDDEN),
        min_size=1,
    )
)
def test_a_host_is_the_one_that_the_browser_asks_for(host):
    typed = f"https://{host}.example.org/"
    try:
        seen = clean_start_url(typed)
    except TaskRefused:
        return
    assert URL(seen).href == URL(typed).href
    assert seen_text(seen) == seen
    assert clean_start_url(seen) == seen
