"""A text without its personal details, kind by kind, and where they stood."""

import pytest

from governance.redaction import Kind, Span, find_details, redact

SENTENCES = [
    ("Write to inga.wren@example.org today.", "Write to [e-mail] today."),
    ("Write to inga.wren [at] example [dot] org today.", "Write to [e-mail] today."),
    ("Ring 07700 900123 or +49 30 23125 471.", "Ring [phone] or [phone]."),
    ("Pay with 4242 4242 4242 4242, please.", "Pay with [card], please."),
    ("IBAN: NO93 8601 1117 947", "IBAN: [bank account]"),
    ("My SSN is 512-44-0199.", "My SSN is [identity number]."),
    ("Reisepass Nr. C01X00T47", "Reisepass Nr. [identity number]"),
    ("Ship it to 12 Thistledown Lane, Oxmere, OX9 4QT.", "Ship it to [address]."),
    ("Adresse: Amselweg 14, 12999 Musterhausen", "Adresse: [address]"),
    ("Last login from 203.0.113.7.", "Last login from [IP address]."),
    ("Authorization: Bearer abcDEF123456xyz", "Authorization: Bearer [secret]"),
    ("API_KEY=" + "sk-" + "a1B2c3D4e5F6g7H8i9J0k1L2", "API_KEY=[secret]"),
    ("Passwort: Nordlys#44", "Passwort: [password]"),
    ("密码是Nordlys#44", "密码是[password]"),
    ("typed 'sunshine' into the password field", "typed '[password]' into the password field"),
    ("née le 07.02.1987 à Lyon", "née le [date of birth] à Lyon"),
    ("Dear Manuela Viana, thank you.", "Dear [name], thank you."),
    ("氏名：山川 花子", "氏名：[name]"),
]


@pytest.mark.parametrize(("text", "redacted"), SENTENCES)
def test_a_detail_is_replaced_by_its_kind(text, redacted):
    assert redact(text).text == redacted


CLEAN = [
    "Chrome 142.0.7444.60 was released on 12 June 2015.",
    "ISBN 978-3-16-148410-0 costs 1,299.00 EUR.",
    "Order number 302-5589213-1199847 has shipped.",
    "The train leaves at 14:05 on 2026-12-01 from platform 2.",
    "Forgot your password? Reset it here.",
    "The dev server runs on 127.0.0.1:8000, the router is 192.168.1.1.",
    "git@github.com:django/django.git and @types/node@22.1.0",
    "Compare the sonnets of William Shakespeare.",
    "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "Coordinates 52.5200 N, 13.4050 E",
]


@pytest.mark.parametrize("text", CLEAN)
def test_what_only_looks_personal_stays(text):
    assert redact(text).text == text


DISGUISES = [
    "inga\u200b.wren@example.org",
    "inga.wren\uff20example.org",
    "inga.wren&#64;example.org",
    "inga.wren%40example.org",
    "inga.wr\u0435n@\u0435xample.org",
    "\uff49nga.wren@example.org",
]


@pytest.mark.parametrize("address", DISGUISES)
def test_a_disguise_hides_nothing_and_the_span_is_that_of_the_original(address):
    text = f"Grüße an {address} bitte"
    assert find_details(text) == (Span(9, 9 + len(address), Kind.EMAIL),)


def test_digits_of_other_scripts_are_digits():
    assert redact("फ़ोन: +९१ ९८२०० १२३४५").text == "फ़ोन: [phone]"


def test_what_overlaps_is_replaced_as_one_named_by_the_longest():
    redacted = redact("Lives at 14 rue Anna Lambert, 75999 Vermeil now")
    assert redacted.text == "Lives at [address] now"
    assert [span.kind for span in redacted.spans] == [Kind.ADDRESS]


def test_a_wrong_check_digit_is_no_card_unless_a_card_is_spoken_of():
    assert redact("The parcel 4242424242424243 is late").text == "The parcel 4242424242424243 is late"
    assert redact("My card number is 4242424242424243").text == "My card number is [card]"


def test_who_was_born_long_ago_needs_no_protection():
    assert redact("Mozart was born on 27 January 1756.").text == "Mozart was born on 27 January 1756."


def test_users_and_passwords_go_from_addresses():
    assert redact("redis://:Nordlys44@cache.example.com:6379/0").text == "redis://:[secret]@cache.example.com:6379/0"


def test_an_answer_is_read_behind_its_question():
    text = "Bot: Please choose a password. User: Quartz!Lemon2"
    assert redact(text).text == "Bot: Please choose a password. User: [password]"


def test_private_keys_go_whole_and_also_when_cut_off():
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
    begin, end = "-----BEGIN PRIVATE " + "KEY-----", "-----END PRIVATE " + "KEY-----"
    assert redact(f"{begin}\n{body}\n{end} done").text == "[secret] done"
    assert body not in redact(f"{begin}\n{body}").text
