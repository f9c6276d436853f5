"""An address is public, or it is refused with a reason."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.lanes.egress_addresses import NAT64, REFUSED_V4, REFUSED_V6, parse_address, refused_address
from battles.lanes.egress_policy import WORDS


@given(st.ip_addresses())
def test_nothing_is_let_through_that_the_standard_library_knows_to_be_special(address):
    if not address.is_global or address.is_multicast:
        assert refused_address(address) is not None


@given(st.ip_addresses())
def test_every_reason_has_words(address):
    reason = refused_address(address)
    assert reason is None or reason in WORDS


@pytest.mark.parametrize(("network", "reason"), REFUSED_V4 + REFUSED_V6, ids=str)
def test_a_range_is_refused_from_its_first_address_to_its_last(network, reason):
    assert refused_address(network[-1]) == reason
    # 2001::/23 begins with Teredo's own range.
    assert refused_address(network[0]) in {reason, "transition"}


@given(st.integers(0, 2**32 - 1))
def test_an_embedded_address_is_never_more_public_than_itself(number):
    inner = IPv4Address(number)
    nat64 = IPv6Address(int(NAT64.network_address) | number)
    assert refused_address(nat64) == refused_address(inner)
    for prefix in ("::ffff:0:0", "::", "::ffff:0:0:0"):
        assert refused_address(IPv6Address(int(IPv6Address(prefix)) | number)) is not None
    isatap = IPv6Address((0x2606_4700 << 96) | (0x0000_5EFE << 32) | number)
    assert refused_address(isatap) == refused_address(inner)


@given(st.ip_addresses(network="2002::/16") | st.ip_addresses(network="2001::/32"))
def test_tunnels_are_refused_whatever_they_lead_to(address):
    assert refused_address(address) == "transition"


@given(st.integers(0, 2**128 - 1))
def test_ipv6_outside_the_assigned_space_is_refused(number):
    address = IPv6Address(number)
    if address not in IPv6Network("2000::/3") and address not in NAT64:
        assert refused_address(address) is not None


@pytest.mark.parametrize(
    "text",
    ["fe80::1%eth0", "1.2.3", "01.2.3.4", "0x7f.1", "١.١.١.١", "", "localhost", "[::1]", " 1.1.1.1", "1.1.1.1/8"],
)
def test_what_is_no_plain_address_is_none(text):
    assert parse_address(text) is None


def test_a_plain_address_is_itself():
    assert parse_address("1.1.1.1") == ip_address("1.1.1.1")
    assert parse_address("2606:4700::1") == ip_address("2606:4700::1")
