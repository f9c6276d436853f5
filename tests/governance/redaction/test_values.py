"""Structured data: every field, key and parameter; a name says what its value is."""

import pytest

from governance.redaction import Kind, address_details, redact_address, redact_value


def test_every_text_of_a_value_and_nothing_else_changes():
    step = {
        "number": 4,
        "ok": True,
        "verb": "type",
        "arguments": {"text": "inga@example.org", "x": 640, "y": 122},
        "title": "Inbox of inga@example.org",
        "changes": [None, 2.5, ["call 07700 900123"]],
    }
    redacted = redact_value(step)
    assert redacted.value == {
        "number": 4,
        "ok": True,
        "verb": "type",
        "arguments": {"text": "[e-mail]", "x": 640, "y": 122},
        "title": "Inbox of [e-mail]",
        "changes": [None, 2.5, ["call [phone]"]],
    }
    assert redacted.counts == {Kind.EMAIL: 2, Kind.PHONE: 1}


def test_what_is_typed_into_a_password_field_is_a_password():
    step = {"verb": "type", "arguments": {"text": "sunshine"}, "target": {"role": "textbox", "name": "Password"}}
    assert redact_value(step).value["arguments"] == {"text": "[password]"}


def test_what_is_typed_elsewhere_stays():
    step = {"verb": "type", "arguments": {"text": "red shoes"}, "target": {"role": "textbox", "name": "Search"}}
    assert redact_value(step).value == step


def test_the_type_of_an_input_is_enough():
    step = {"arguments": {"text": "sunshine"}, "target": {"name": "Geheim", "state": {"type": "password"}}}
    assert redact_value(step).value["arguments"] == {"text": "[password]"}


def test_every_verb_with_a_text_is_read():
    for arguments in (
        {"url": "https://shop.example/?email=inga%40example.org"},
        {"option": "the one of <inga@example.org>"},
        {"keys": "inga@example.org"},
        {"text": "The owner is inga@example.org"},
        {"reason": "inga@example.org is locked"},
    ):
        redacted = str(redact_value({"verb": "any", "arguments": arguments}).value)
        assert "inga" not in redacted
        assert "[e-mail]" in redacted


def test_a_key_says_what_its_value_is():
    value = {"dob": "01/07/1959", "first_name": "inga", "ssn": 512440199, "passwordHash": "required", "apiKey": "x9"}
    redacted = redact_value(value).value
    assert redacted["dob"] == "[date of birth]"
    assert redacted["ssn"] == "[identity number]"
    assert redacted["first_name"] == "[name]"


def test_numbers_that_are_no_detail_stay_numbers():
    assert redact_value({"tokens": 10482113, "clock": 31.25}).value == {"tokens": 10482113, "clock": 31.25}


def test_keys_are_texts_too():
    assert redact_value({"inga@example.org": 1}).value == {"[e-mail]": 1}


def test_headers_that_let_somebody_in_are_not_kept_in_whatever_form():
    assert redact_value({"Cookie": "a=b", "Accept": "text/html"}).value == {"Accept": "text/html"}
    assert redact_value([["authorization", "Basic eDp5"], ["accept", "*/*"]]).value == [["accept", "*/*"]]
    assert redact_value([{"name": "Set-Cookie", "value": "a=b"}]).value == []


def test_the_parts_of_an_address():
    assert (
        redact_address("https://inga:pw@shop.example/users/inga%40example.org?page=2&token=abcdef123&q=red+shoes#top")
        == "https://[secret]@shop.example/users/[e-mail]?page=2&token=[secret]&q=red+shoes#top"
    )


def test_an_address_without_details_stays_as_it_is_written():
    for address in (
        "https://shop.example/a%20b?x=1&y=%2F#z",
        "http://127.0.0.1:8000/?q=a+b",
        "about:blank",
        "http://[",
    ):
        assert redact_address(address) == address


def test_parameters_are_read_behind_their_names():
    assert redact_address("https://a.example/?dob=1959-07-01&when=2026-12-01") == (
        "https://a.example/?dob=[date of birth]&when=2026-12-01"
    )


def test_a_route_in_a_fragment_has_parameters_too():
    assert redact_address("https://a.example/#/reset?token=sunshine&page=2") == (
        "https://a.example/#/reset?token=[secret]&page=2"
    )
    assert redact_address("https://a.example/#password=what?ever") == "https://a.example/#password=[secret]"


def test_a_query_without_names_is_read_as_a_word():
    assert redact_address("https://a.example/?inga%40example.org&x") == "https://a.example/?[e-mail]&x"


SECRETS_BY_NAME = {"sunshine77": Kind.SECRET, "horse1": Kind.SECRET, "4071": Kind.PASSWORD}
SECRETS_OF_SESSIONS = {"550e8400-e29b-41d4-a716-446655440000": Kind.SECRET, "q1w2e3r4t5y6u7i8": Kind.SECRET}
SECRETS_BY_LOOK = {"u7Kq2mX9vB4tR1": Kind.SECRET, "9f86d081884c7d659a2feaa0": Kind.SECRET}


@pytest.mark.parametrize(
    ("address", "held"),
    [
        ("https://a.example/?password=sunshine77xy#token=sunshine77xy", {"sunshine77xy": Kind.SECRET}),
        ("https://a.example/?pwd=blue+horse&passwort=geheim", {"blue horse": Kind.SECRET}),
        ("https://a.example/?code=XK42PL#/reset?token=sunshine", {"sunshine": Kind.SECRET}),
        ("https://a.example/users/inga%40example.org/", {"inga@example.org": Kind.EMAIL}),
        (
            "https://inga%40example.org:blue%20horse@a.example/",
            {"inga@example.org": Kind.EMAIL, "blue horse": Kind.SECRET},
        ),
        ("https://a.example/?next=https%3A%2F%2Fb.example%2F%3Fpassword%3Dsunshine", {"sunshine": Kind.SECRET}),
        ("https://a.example/?page=2&q=kettle&sort=price#top", {}),
        ("https://a.example/?state=california&code=english&session=morning&key=kettle", {}),
        ("https://a.example/?password=forgot&token=required", {}),
        ("https://a.example/?next=%2Freset%3Ftoken%3Dsunshine77%26session%3D2026-12-24", {"sunshine77": Kind.SECRET}),
        ("https://a.example/?to%6ben=sunshine77&a[password]=horse1&pin=4071", SECRETS_BY_NAME),
        ("https://a.example/?session=u7Kq2mX9vB4tR1&sig=9f86d081884c7d659a2feaa0", SECRETS_BY_LOOK),
        (
            "https://a.example/?session=550e8400-e29b-41d4-a716-446655440000&PHPSESSID=q1w2e3r4t5y6u7i8",
            SECRETS_OF_SESSIONS,
        ),
        ("https://a.example/?key=galaxy-s24-ultra-256gb&state=iphone15promax256gb&code=2026-12-24T10:00:00Z", {}),
        ("https://a.example/?code=RTX4090&key=iphone15&state=2024-11&session=2026-12-24&sig=100000", {}),
        ("https://a.example/?password=open&pwd=e-mail&secret=card&token=Museum.", {}),
        ("https://anna:anna@anna.example/", {}),
        ("https://inga:holm1985@holm1985.example/", {}),
        ("https://admin@a.example/", {}),
        ("https://admin:@a.example/", {}),
        ("about:blank", {}),
        ("", {}),
    ],
)
def test_the_details_that_an_address_holds(address, held):
    assert address_details(address) == held


def test_what_is_not_known_for_elsewhere_is_replaced_in_the_address_all_the_same():
    assert redact_address("https://anna:anna@anna.example/?code=RTX4090&password=open&next=%2Fa%3Ftoken%3Dmuseum") == (
        "https://[secret]@anna.example/?code=[secret]&password=[password]&next=/a?token=[secret]"
    )


def test_details_of_an_address_are_those_of_the_kinds_asked_for():
    address = "https://a.example/?password=sunshine&mail=inga@example.org"
    assert address_details(address, frozenset({Kind.EMAIL})) == {"inga@example.org": Kind.EMAIL}
