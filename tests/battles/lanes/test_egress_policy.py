"""What the policy says of URLs and of resolvers' answers."""

import pytest
from ada_url import URL
from hypothesis import given
from hypothesis import strategies as st

from battles.lanes.egress import policy_refusal
from battles.lanes.egress_policy import (
    ALLOWED_PORTS,
    MAX_URL_LENGTH,
    NOWHERE,
    WORDS,
    Destination,
    Refusal,
    judge_connection,
    judge_host,
    judge_url,
    refused_name,
)

PUBLIC = "93.184.215.14"

#: Pieces that URLs are put together from, with all that parsers have ever disagreed on.
PIECES = st.sampled_from(
    (
        *(
            "http",
            "https",
            "ws",
            "wss",
            "file",
            ":",
            "/",
            "//",
            "\\",
            "@",
            "?",
            "#",
            ".",
            "..",
            "%",
            "%40",
            "%2e",
            "\t",
        ),
        *(
            "127.0.0.1",
            "0x7f.1",
            "2130706433",
            "[::1]",
            "[",
            "]",
            "localhost",
            "example.com",
            "user:pass",
            ":80",
            ":22",
        ),
        *("\u3002", "\u2460", "\u00ad", "\u200b", "xn--", "1", "a", "-", "_", "\u0661", "::ffff:10.0.0.1", "\x00", " "),
    )
)
URLS = st.lists(PIECES, max_size=10).map("".join) | st.text(max_size=40) | st.text(max_size=20).map("http://{}/".format)


@given(URLS)
def test_every_url_has_a_verdict_and_every_refusal_has_words(url):
    verdict = judge_url(url)
    assert isinstance(verdict, Destination) or verdict.words == WORDS[verdict.reason]


@given(URLS)
def test_what_is_let_through_is_where_a_browser_would_go(url):
    verdict = judge_url(url)
    if isinstance(verdict, Destination) and verdict is not NOWHERE:
        parsed = URL(url)
        assert parsed.hostname.strip("[]").removesuffix(".") == verdict.host
        assert verdict.port in ALLOWED_PORTS
        assert not parsed.username
        assert not parsed.password
        assert verdict.host.isascii()


@given(URLS)
def test_the_verdict_on_the_parsed_url_is_no_milder_than_on_the_host_alone(url):
    verdict = judge_url(url)
    if isinstance(verdict, Destination) and verdict is not NOWHERE:
        assert judge_host(verdict.host, verdict.port) == verdict


def test_a_pinned_host_and_port_goes_where_the_operator_says_and_no_other():
    pinned = {"shop.practice.test:80", "[::1]:8080", "127.0.0.1:9000"}
    assert judge_url("http://shop.practice.test/x", pinned=pinned) == Destination("shop.practice.test", 80, pinned=True)
    assert judge_url("http://SHOP.practice.test.:80/", pinned=pinned) == Destination(
        "shop.practice.test", 80, pinned=True
    )
    assert judge_url("ws://[::1]:8080/", pinned=pinned) == Destination("::1", 8080, pinned=True)
    assert judge_host("127.0.0.1", 9000, pinned=pinned) == Destination("127.0.0.1", 9000, pinned=True)
    for other in ("https://shop.practice.test/", "http://x.shop.practice.test/", "http://127.0.0.1/", "http://[::1]/"):
        assert isinstance(judge_url(other, pinned=pinned), Refusal)


def test_a_pinned_host_is_no_excuse_for_credentials_or_confusing_spellings():
    pinned = {"shop.practice.test:80"}
    for url in ("http://u@shop.practice.test/", "http:\\\\shop.practice.test/", "http:shop.practice.test"):
        assert isinstance(judge_url(url, pinned=pinned), Refusal)


@pytest.mark.parametrize("host", ["a/b", "a b", "a@b", "a#b", "a?b", "a\\b", "", "[::1", "a:b:c"])
def test_a_connect_target_is_a_host_and_nothing_else(host):
    assert isinstance(judge_host(host, 443), Refusal)


@pytest.mark.parametrize("port", [-1, 0, 22, 65536, 99999])
def test_a_connect_target_has_a_web_port(port):
    assert judge_host("example.com", port).reason == "port"


def test_an_ipv6_connect_target_may_come_with_brackets_or_without():
    assert (
        judge_host("2606:4700::1111", 443)
        == judge_host("[2606:4700::1111]", 443)
        == Destination("2606:4700::1111", 443)
    )


def test_one_answer_that_is_not_public_refuses_them_all():
    assert judge_connection("a.example.net", 443, [PUBLIC, "2606:4700::1111"]) is None
    assert judge_connection("a.example.net", 443, [PUBLIC, "10.0.0.1"]).reason == "private"
    assert judge_connection("a.example.net", 443, ["::1", PUBLIC]).reason == "loopback"


def test_no_answer_or_an_unreadable_one_refuses():
    assert judge_connection("a.example.net", 443, []).reason == "unresolved"
    assert judge_connection("a.example.net", 443, ["fe80::1%eth0"]).reason == "reserved"


def test_a_name_that_stands_for_an_internal_one_is_refused_with_its_public_answer():
    assert judge_connection("a.example.net", 443, [PUBLIC], canonical="db.corp").reason == "internal_name"
    assert judge_connection("a.example.net", 443, [PUBLIC], canonical="LOCALHOST.").reason == "internal_name"
    assert judge_connection("a.example.net", 443, [PUBLIC], canonical="edge.example.org.") is None


def test_the_browsers_own_calls_are_refused_under_their_own_reason():
    assert refused_name("update.googleapis.com") == "background"
    assert refused_name("accounts.google.com") is None


def test_the_longest_url_is_judged_and_a_longer_one_refused():
    stem = "https://example.com/"
    assert isinstance(judge_url(stem + "a" * (MAX_URL_LENGTH - len(stem))), Destination)
    assert judge_url(stem + "a" * MAX_URL_LENGTH).reason == "too_long"


def test_a_start_page_is_a_web_page():
    assert policy_refusal("https://example.com/") is None
    assert policy_refusal("http://shop.practice.test/", {"shop.practice.test:80"}) is None
    assert policy_refusal("http://shop.practice.test/") == WORDS["internal_name"]
    for url in ("about:blank", "wss://example.com/", "ws://example.com/", "file:///etc/passwd"):
        assert policy_refusal(url) == WORDS["scheme"]
