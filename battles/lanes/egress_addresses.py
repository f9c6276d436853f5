"""Which addresses a lane may reach: public unicast, and nothing that only looks like it.

Pure. The ranges are the IANA special-purpose registries for IPv4 and IPv6 (RFC 6890 and its
updates) plus a few public-looking ranges that clouds answer on from inside. IPv6 is judged the
other way round from IPv4: nothing is public unless it lies in 2000::/3, because most of the space
is unassigned.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

#: IPv4 ranges a lane may not reach, with the stable reason each one is refused for.
REFUSED_V4: tuple[tuple[IPv4Network, str], ...] = tuple(
    (IPv4Network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link_local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "reserved"),
        ("192.52.193.0/24", "reserved"),
        ("192.88.99.0/24", "transition"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "reserved"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        # Public by the registry, yet answered by the cloud one runs in: Azure's WireServer, IBM Cloud's service
        # network, and Google's private and restricted API fronts.
        ("168.63.129.16/32", "metadata"),
        ("161.26.0.0/16", "metadata"),
        ("166.8.0.0/14", "metadata"),
        ("199.36.153.4/30", "metadata"),
        ("199.36.153.8/30", "metadata"),
    )
)

#: The only IPv6 space assigned for global unicast (RFC 4291, section 2.4).
GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")

#: Ranges inside 2000::/3 that are not public all the same.
REFUSED_V6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("2001::/32", "transition"),
        # The rest of the IETF protocol assignments: benchmarking, ORCHID, AMT, AS112, drone identifiers.
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "transition"),
        ("2620:4f:8000::/48", "reserved"),
        ("3ffe::/16", "reserved"),
        ("3fff::/20", "documentation"),
    )
)

#: Names of what lies outside 2000::/3, for a reason that says more than "reserved".
NAMED_V6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "mapped"),
        ("::/96", "mapped"),
        ("::ffff:0:0:0/96", "mapped"),
        ("64:ff9b:1::/48", "transition"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link_local"),
        ("fec0::/10", "private"),
        ("ff00::/8", "multicast"),
    )
)

#: The well-known NAT64 prefix (RFC 6052). What counts is the IPv4 address in the last 32 bits: on a network with
#: DNS64 every IPv4-only site has such an answer, so the prefix itself is no reason to refuse.
NAT64 = IPv6Network("64:ff9b::/96")

#: Interface identifiers of ISATAP (RFC 5214, section 6.1): 0000:5efe or 0200:5efe, then an IPv4 address.
ISATAP_MARKS = frozenset({0x00005EFE, 0x02005EFE})

_LOW_32_BITS = 0xFFFFFFFF


def parse_address(text: str) -> Address | None:
    """The address that ``text`` spells, without brackets; ``None`` when it spells none.

    A zone identifier makes it none: a scoped address is never public.
    """
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def refused_address(address: Address) -> str | None:
    """The stable reason why a lane may not reach ``address``, or ``None`` when it is public."""
    if isinstance(address, IPv4Address):
        return next((reason for network, reason in REFUSED_V4 if address in network), None)
    if address in NAT64:
        return refused_address(_embedded(address))
    if address not in GLOBAL_UNICAST_V6:
        return next((reason for network, reason in NAMED_V6 if address in network), "reserved")
    refused = next((reason for network, reason in REFUSED_V6 if address in network), None)
    if refused is None and (int(address) >> 32) & _LOW_32_BITS in ISATAP_MARKS:
        return refused_address(_embedded(address))
    return refused


def _embedded(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & _LOW_32_BITS)
