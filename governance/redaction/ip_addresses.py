"""Addresses of the internet protocol that may point to a person: none of a local network, none that is a version."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from governance.redaction.spans import Kind, Span

_V4 = re.compile(r"(?<![0-9A-Za-z_.-])\d{1,3}(?:\.\d{1,3}){3}(?![0-9A-Za-z_-]|\.\d|/\d)")
_V6 = re.compile(
    r"(?<![0-9A-Za-z_:.])(?=[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:)[0-9A-Fa-f:]{4,39}(?:\d{0,3}(?:\.\d{1,3}){3})?(?![0-9A-Za-z"
    r"_:])"
)
_VERSION = re.compile(
    r"(?:versions?|ver|v|build|release|firmware|driver|kernel|section|§|chapter|clause|oid|update|patch|sdk|api|"
    r"chrome|firefox|edge|safari|"
    r"android|ios|macos|windows|python|java|node|package|paragraph|article)\W{0,3}$",
    re.I,
)
# Name servers that everybody uses say nothing about anybody.
_EVERYBODYS = frozenset(map(ipaddress.ip_address, "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 208.67.222.222".split()))
_DOCUMENTATION = tuple(
    map(ipaddress.ip_network, "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20 2001::/23".split())
)


def find_ip_addresses(text: str) -> Iterator[Span]:
    """Public IPv4 and IPv6 addresses in a folded text; those kept for documentation count as public."""
    for match in _V4.finditer(text):
        if _points_to_somebody(match.group()) and not _VERSION.search(text, max(0, match.start() - 24), match.start()):
            yield Span(match.start(), match.end(), Kind.IP_ADDRESS)
    for match in _V6.finditer(text):
        written = match.group()
        trailing = len(written) - len(written.rstrip(":")) if not written.endswith("::") else 0
        written = written[: len(written) - trailing]
        if sum(map(bool, written.split(":"))) >= 3 and re.search(r"\d", written) and _points_to_somebody(written):
            yield Span(match.start(), match.end() - trailing, Kind.IP_ADDRESS)


def _points_to_somebody(written: str) -> bool:
    try:
        address = ipaddress.ip_address(written)
    except ValueError:
        return False
    if address in _EVERYBODYS:
        return False
    return address.is_global or any(
        address in network for network in _DOCUMENTATION if network.version == address.version
    )
