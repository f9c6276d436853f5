"""Structured data: every field, key and parameter; a name says what its value is."""

from governance.redaction import Kind, redact_address, redact_value


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
