"""Networks are counted and never kept: a keyed hash of a prefix, for a day."""

import logging
from datetime import UTC, datetime, timedelta

import pytest
from django.apps import apps
from django.test import Client, RequestFactory
from django.utils import timezone

from arena_site.accounts.limits import KEPT_FOR, SIGN_UPS, UNKNOWN_FACTOR, take, take_from_network
from arena_site.accounts.models import Account, Attempt
from arena_site.accounts.networks import UNKNOWN, network_tags, visitor_address
from arena_site.accounts.sweeping import sweep_accounts
from governance.errors import TooMany
from tests.arena_site.accounts.people import sign_in, sign_up

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


def visit(address="8.8.8.8", forwarded=None):
    headers = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    return RequestFactory().get("/", REMOTE_ADDR=address, **headers)


def tag(address, now=NOON):
    return network_tags(visit(address), now=now)[0]


def test_neighbours_share_a_tag_and_strangers_do_not():
    assert tag("8.8.8.8") == tag("8.8.8.250")
    assert tag("8.8.8.8") != tag("8.8.9.8")
    assert tag("2a00:1450:4001::1") == tag("2a00:1450:4001:ffff::2")
    assert tag("2a00:1450:4001::1") != tag("2a00:1450:4002::1")
    assert tag("::ffff:8.8.8.8") == tag("8.8.8.8")


def test_a_tag_holds_for_a_day_and_reaches_back_over_midnight():
    before, after = NOON.replace(hour=23, minute=59), NOON.replace(hour=23, minute=59) + timedelta(minutes=2)
    assert tag("8.8.8.8", before) != tag("8.8.8.8", after)
    assert network_tags(visit(), now=after)[1] == tag("8.8.8.8", before)


def test_a_tag_depends_on_the_secret_key(settings):
    before = tag("8.8.8.8")
    settings.SECRET_KEY = "another one"
    assert tag("8.8.8.8") != before


def test_a_header_that_no_setting_vouches_for_is_not_believed():
    assert str(visitor_address(visit("8.8.8.8", "1.1.1.1"))) == "8.8.8.8"
    assert tag("8.8.8.8") == network_tags(visit("8.8.8.8", "1.1.1.1"), now=NOON)[0]


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (1, "1.1.1.1", "1.1.1.1"),
        (1, "6.6.6.6, 1.1.1.1", "1.1.1.1"),
        (2, "6.6.6.6, 1.1.1.1, 9.9.9.9", "1.1.1.1"),
        (2, "1.1.1.1", "None"),
        (1, "", "None"),
        (1, "somebody", "None"),
        (1, "[2a00::1]", "2a00::1"),
    ],
)
def test_of_forwarded_addresses_only_those_of_our_proxies_count(settings, proxies, forwarded, address):
    settings.ARENA_TRUSTED_PROXIES = proxies
    assert str(visitor_address(visit("10.0.0.1", forwarded))) == address


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.1.2.3", "", "unix:"])
def test_an_address_that_is_no_visitors_is_unknown(address):
    assert network_tags(visit(address))[0] == UNKNOWN


@pytest.mark.django_db
def test_a_network_makes_only_so_many_accounts_a_day(seeded):
    for number in range(SIGN_UPS.most):
        Attempt.objects.create(kind=SIGN_UPS.kind, key=network_tags(visit("8.8.8.8"))[number % 2])
    refused = sign_up(Client(REMOTE_ADDR="8.8.8.1"), "margot")
    assert refused.status_code == 429
    assert refused.headers["Retry-After"]
    assert Account.objects.count() == 0
    assert sign_up(Client(REMOTE_ADDR="8.8.7.1"), "margot").status_code == 302


@pytest.mark.django_db
def test_where_networks_are_unknown_nobody_is_locked_out_by_a_few():
    request = visit("127.0.0.1")
    for _ in range(SIGN_UPS.most * UNKNOWN_FACTOR):
        take_from_network(SIGN_UPS, request)
    with pytest.raises(TooMany):
        take_from_network(SIGN_UPS, request)


@pytest.mark.django_db
def test_a_refused_attempt_is_not_kept_and_the_wait_is_told():
    for minutes in range(SIGN_UPS.most, 0, -1):
        take(SIGN_UPS, ["k"], now=NOON - timedelta(minutes=minutes))
    for _ in range(3):
        with pytest.raises(TooMany) as refusal:
            take(SIGN_UPS, ["k"], now=NOON)
    assert Attempt.objects.count() == SIGN_UPS.most
    wait = timedelta(seconds=refusal.value.retry_after)
    with pytest.raises(TooMany):
        take(SIGN_UPS, ["k"], now=NOON + wait - timedelta(seconds=2))
    assert take(SIGN_UPS, ["k"], now=NOON + wait).pk


@pytest.mark.django_db
def test_no_address_is_in_any_row_or_log(seeded, caplog):
    address = "8.8.123.45"
    with caplog.at_level(logging.DEBUG):
        sign_up(Client(REMOTE_ADDR=address), "margot")
        sign_in(Client(REMOTE_ADDR=address), "margot", "wrong, quite")
        for _ in range(6):
            sign_in(Client(REMOTE_ADDR=address), "nobody-here", "wrong, quite")
    rows = "\n".join(repr(row) for model in apps.get_models() for row in model._default_manager.values_list())
    assert Attempt.objects.exists()
    for place in (rows, caplog.text):
        assert "8.8.123" not in place
    assert "nobody-here" not in rows


@pytest.mark.django_db
def test_after_thirty_days_nothing_is_left():
    Attempt.objects.create(kind=SIGN_UPS.kind, key="k", at=timezone.now() - KEPT_FOR - timedelta(hours=1))
    Attempt.objects.create(kind=SIGN_UPS.kind, key="k", at=timezone.now() - KEPT_FOR + timedelta(hours=1))
    assert sweep_accounts()["attempts"] == 1
    assert Attempt.objects.count() == 1
