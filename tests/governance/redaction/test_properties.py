"""What holds of every text."""

import string
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st
from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from governance.redaction import Kind, Span, find_details, redact
from governance.redaction.bank_numbers import IBAN_LENGTHS
from governance.redaction.folding import fold
from governance.redaction.spans import longest_first, replace

PIECES = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            [
                "@",
                "inga@example.org",
                "+47 912 34 567",
                "4242 4242 4242 4242",
                "Dear Anna ",
                "password: ",
                "&#64;",
                "%40",
            ]
        ),
        st.sampled_from(
            ["\u200b", "\u0301", "\uff11", "12 Mill Lane, ", "born 1.2.1980", "http://a:b@c/?token=", "\n"]
        ),
    ),
    max_size=12,
).map("".join)


@given(PIECES)
@settings(max_examples=300, deadline=None)
@example("&#55296;")
@example("%ff%40")
def test_spans_are_in_order_inside_the_text_and_apart(text):
    redacted = redact(text)
    at = 0
    for span in redacted.spans:
        assert at <= span.start < span.end <= len(text)
        at = span.end
    assert redacted.text == replace(text, redacted.spans)
    assert redacted.spans == find_details(text)


@given(PIECES)
@settings(max_examples=300, deadline=None)
def test_every_folded_character_knows_where_it_came_from(text):
    folded = fold(text)
    at = 0
    for position in range(len(folded.text)):
        start, end = folded.original(position, position + 1)
        assert at <= start < end <= len(text)
        at = start


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 10), st.sampled_from(list(Kind))), max_size=12))
def test_merging_covers_exactly_what_was_found(found):
    spans = [Span(start, start + length, kind) for start, length, kind in found]
    merged = longest_first(spans)
    assert {at for span in spans for at in range(span.start, span.end)} == {
        at for span in merged for at in range(span.start, span.end)
    }
    assert all(first.end <= second.start for first, second in pairwise(merged))
    assert {span.kind for span in merged} <= {span.kind for span in spans}


@given(
    st.sampled_from(["4", "51", "55", "2221", "6011", "65"]),
    st.text(string.digits, min_size=15, max_size=15),
    st.sampled_from(["", " ", "-"]),
)
@settings(deadline=None)
def test_every_card_in_an_issuers_range_is_found_however_it_is_grouped(prefix, digits, separator):
    body = (prefix + digits)[:15]
    number = body + luhn.calc_check_digit(body)
    shown = separator.join(number[at : at + 4] for at in range(0, 16, 4))
    assert redact(f"I typed {shown} there").text == "I typed [card] there"


@given(st.sampled_from(sorted(IBAN_LENGTHS)), st.text(string.digits, min_size=30, max_size=30), st.booleans())
@settings(deadline=None)
def test_every_iban_with_a_right_check_is_found(country, digits, spaced):
    body = digits[: IBAN_LENGTHS[country] - 4]
    number = country + mod_97_10.calc_check_digits(body + country) + body
    shown = " ".join(number[at : at + 4] for at in range(0, len(number), 4)) if spaced else number
    assert redact(f"Send it to {shown}, please").text == "Send it to [bank account], please"


@given(
    st.text(string.ascii_lowercase + string.digits, min_size=2, max_size=12).map(lambda text: "x" + text),
    st.text(string.ascii_lowercase, min_size=2, max_size=12),
    st.sampled_from(["@", " @ ", "(at)", " [at] ", "\uff20", "@\u200b", "&#64;"]),
)
@settings(deadline=None)
def test_every_address_with_any_sign_is_found_whole(local, host, sign):
    address = f"{local}{sign}{host}.example.org"
    assert find_details(f"Mail {address} now")[0] == Span(5, 5 + len(address), Kind.EMAIL)


def test_placeholders_are_clean_themselves():
    for kind in Kind:
        assert redact(f"The field shows {kind.placeholder} now.").spans == ()
