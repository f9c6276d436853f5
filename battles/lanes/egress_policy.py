"""What a lane may ask the network for, decided without touching it.

Pure. A URL is read the way Chromium reads it (WHATWG, by ``ada_url``); what Chromium and the usual
libraries would read differently is refused outright, so that nobody's reading matters. Names are
judged before they are resolved, and every answer of the resolver afterwards: one answer that is not
public refuses them all, because whoever controls the name controls which answer is used.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ada_url import URL, HostType

from battles.lanes.egress_addresses import parse_address, refused_address

#: Schemes a lane may use, with the port each stands for.
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}

#: Besides 80 and 443, the two ports that public sites really use. Everything else on a public address is somebody's
#: service, not somebody's page.
ALLOWED_PORTS = frozenset({80, 443, 8080, 8443})

#: Longer URLs are no start page of anything, and no server takes a request line that long.
MAX_URL_LENGTH = 1 << 15

#: RFC 1035, section 2.3.4: a name is at most 253 characters without its final dot, a label at most 63.
MAX_HOST_LENGTH = 253
MAX_LABEL_LENGTH = 63

#: Top-level names that are not delegated in the public root: reserved by RFC 2606, 6761, 6762, 7686, 8375, 9476 and
#: ICANN, or in use for networks of one's own by routers, clouds and container runtimes.
INTERNAL_TOP_LEVEL = frozenset(
    (
        *("alt", "arpa", "cluster", "consul", "corp", "dhcp", "docker", "domain", "example", "gateway", "home"),
        *("homenet", "internal", "intra", "intranet", "invalid", "ip", "kubernetes", "lan", "loc", "local"),
        *(
            "localdomain",
            "localdomain4",
            "localdomain6",
            "localhost",
            "localhost4",
            "localhost6",
            "localnet",
            "mail",
            "mdns",
            "mesh",
            "nomad",
            "onion",
            "priv",
            "private",
        ),
        *("rancher", "router", "server", "svc", "swarm", "test", "vpn", "wan", "workgroup"),
    )
)

#: Names below a public top-level name that answer only from inside: home routers, and metadata services of clouds.
INTERNAL_NAMES = frozenset({"fritz.box", "metadata.azure.com", "metadata.tencentyun.com"})

#: Names that Chromium asks for by itself at every start and that no page needs. A lane's traffic is its pages'.
BACKGROUND_NAMES = frozenset(
    {
        "android.clients.google.com",
        "clients2.google.com",
        "clientservices.googleapis.com",
        "content-autofill.googleapis.com",
        "edgedl.me.gvt1.com",
        "optimizationguide-pa.googleapis.com",
        "redirector.gvt1.com",
        "safebrowsing.googleapis.com",
        "update.googleapis.com",
    }
)

#: Words for the person or agent whose request was refused, by stable reason.
WORDS = {
    "address_spelling": "The address is not written in its plain form. Write the host name instead.",
    "background": "The browser's own services cannot be reached from a lane.",
    "benchmarking": "The address belongs to a range reserved for benchmarking networks.",
    "control_character": "The URL contains control characters, spaces or invisible characters. Remove them.",
    "credentials": "The URL contains a user name or password. Remove everything before the @ in the host part.",
    "documentation": "The address belongs to a range reserved for documentation.",
    "host": "The host name is not valid.",
    "internal_name": "The host name belongs to a private network. Only public sites can be visited.",
    "link_local": "The address belongs to the local link. Only public sites can be visited.",
    "loopback": "The address is the machine itself. Only public sites can be visited.",
    "mapped": "The address is an IPv4 address in IPv6 clothes. Write the host name instead.",
    "metadata": "The address answers only inside a cloud. Only public sites can be visited.",
    "multicast": "The address is not that of a single machine.",
    "own_address": "The address is this machine's own. Only other sites can be visited.",
    "parse": "The URL cannot be read. Write it in full, starting with https://.",
    "port": "The port is not one that public sites use (80, 443, 8080, 8443).",
    "private": "The address belongs to a private network. Only public sites can be visited.",
    "reserved": "The address is reserved and leads to no public site.",
    "scheme": "Only http and https pages can be visited.",
    "shared": "The address belongs to a provider's internal network. Only public sites can be visited.",
    "slashes": "The URL must have exactly two forward slashes after its scheme and no backslashes.",
    "too_long": "The URL is too long.",
    "transition": "The address belongs to a tunnel between IPv4 and IPv6. Write the host name instead.",
    "unresolved": "The host name has no address. Check its spelling.",
    "unspecified": "The address names no machine. Only public sites can be visited.",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused request: a stable ``reason`` (a key of :data:`WORDS`) and the host and port it was about."""

    reason: str
    host: str = ""
    port: int = 0

    @property
    def words(self) -> str:
        return WORDS[self.reason]


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an allowed request goes, before its name is resolved.

    ``host`` is lower-case ASCII without a final dot, an IPv6 address without brackets. ``pinned`` says that the
    operator's allowlist names this very host and port; the policy then has no say in the address.
    """

    host: str
    port: int
    pinned: bool = False


#: Unicode categories that no URL contains: controls, halves of characters, line and paragraph separators.
UNREADABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})

#: The invisible characters that real internationalised names contain (Persian, Indic scripts).
JOINERS = frozenset("\u200c\u200d")

#: What IDNA takes for a dot between labels (UTS 46).
DOTS = ".\u3002\uff0e\uff61"

#: What ``about:blank`` is: allowed, and no destination at all.
NOWHERE = Destination(host="", port=0)

_PLAIN_START = re.compile(r"(?:https?|wss?)://[^/\\?#]", re.IGNORECASE)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_BEFORE_QUERY = re.compile(r"[?#]")
_AUTHORITY_END = re.compile(r"[/?#]")
_PORT = re.compile(r":[0-9]*$")
_LABEL = re.compile(r"[a-z0-9_-]+")
_NOT_A_HOST = re.compile(r"[/\\?#@\s]")


def judge_url(url: str, *, pinned: Collection[str] = (), base: str | None = None) -> Destination | Refusal:
    """Judge a URL by itself, as typed, linked or redirected to.

    Args:
        url: as written; relative references are resolved only when ``base`` is given.
        pinned: ``host:port`` keys of the operator's allowlist.
        base: the absolute URL that ``url`` was found on or redirected from.
    """
    if base is not None and _SCHEME.match(url) is None and _unreadable(url) is None:
        try:
            url = URL(url, base=base).href
        except ValueError:
            return Refusal("parse")
    if url.lower() == "about:blank":
        return NOWHERE
    reason = _refused_spelling(url)
    if reason is not None:
        return Refusal(reason)
    try:
        parsed = URL(url)
    except ValueError:
        return Refusal("parse")
    return _judge_parsed(parsed, _authority(url), pinned)


def judge_host(host: str, port: int, *, pinned: Collection[str] = ()) -> Destination | Refusal:
    """Judge a host and port as they stand in a ``CONNECT`` request; an IPv6 address in brackets or without."""
    bracketed = f"[{host}]" if ":" in host and not host.startswith("[") else host
    if _NOT_A_HOST.search(bracketed):
        return Refusal("host", port=port)
    if not 0 < port < 65536:
        return Refusal("port", host, port)
    return judge_url(f"https://{bracketed}:{port}/", pinned=pinned)


def judge_connection(host: str, port: int, answers: Sequence[str], canonical: str = "") -> Refusal | None:
    """Judge what a resolver said of a host that :func:`judge_host` let through.

    Args:
        answers: every address of the one lookup whose address will be dialled.
        canonical: the name at the end of the CNAME chain, when the resolver told.

    Returns:
        the refusal, or ``None`` when every answer is a public address.
    """
    if canonical and canonical.rstrip(".").lower() != host and parse_address(canonical) is None:
        reason = refused_name(canonical)
        if reason is not None:
            return Refusal(reason, host, port)
    if not answers:
        return Refusal("unresolved", host, port)
    for answer in answers:
        address = parse_address(answer)
        reason = "reserved" if address is None else refused_address(address)
        if reason is not None:
            return Refusal(reason, host, port)
    return None


def refused_name(name: str) -> str | None:
    """The stable reason why a host name may not be resolved, or ``None``. A final dot is allowed."""
    host = name.lower().removesuffix(".")
    labels = host.split(".")
    if not host or len(host) > MAX_HOST_LENGTH or not host.isascii():
        return "host"
    if any(not _plain_label(label) for label in labels):
        return "host"
    if len(labels) == 1 or labels[-1] in INTERNAL_TOP_LEVEL:
        return "internal_name"
    if any(host == inside or host.endswith(f".{inside}") for inside in INTERNAL_NAMES):
        return "internal_name"
    return "background" if host in BACKGROUND_NAMES else None


def _unreadable(url: str) -> str | None:
    if len(url) > MAX_URL_LENGTH:
        return "too_long"
    if url != url.strip() or any(unicodedata.category(character) in UNREADABLE for character in url):
        return "control_character"
    return None


def _refused_spelling(url: str) -> str | None:
    """Why a URL is refused for how it is written, before anybody parses it."""
    reason = _unreadable(url)
    if reason is not None:
        return reason
    scheme = _SCHEME.match(url)
    if scheme is None:
        return "parse"
    if scheme[1].lower() not in DEFAULT_PORTS:
        return "scheme"
    if _PLAIN_START.match(url) is None or "\\" in _BEFORE_QUERY.split(url, maxsplit=1)[0]:
        return "slashes"
    authority = _authority(url)
    if "@" in authority:
        return "credentials"
    hidden = (character not in JOINERS and unicodedata.category(character) == "Cf" for character in authority)
    return "control_character" if any(hidden) else None


def _authority(url: str) -> str:
    return _AUTHORITY_END.split(url.partition("//")[2], maxsplit=1)[0]


def _judge_parsed(parsed: URL, authority: str, pinned: Collection[str]) -> Destination | Refusal:
    """Judge what Chromium would make of a URL; ``authority`` is its host part as it was written."""
    host = parsed.hostname.removesuffix(".")
    port = int(parsed.port) if parsed.port else DEFAULT_PORTS[parsed.protocol.removesuffix(":")]
    if f"{host}:{port}" in pinned:
        return Destination(host.strip("[]"), port, pinned=True)
    if parsed.host_type == HostType.DEFAULT:
        reason = _refused_spelling_of_name(authority) or refused_name(parsed.hostname)
    else:
        reason = _refused_literal(host, authority)
    if reason is None and port not in ALLOWED_PORTS:
        reason = "port"
    host = host.strip("[]")
    return Refusal(reason, host, port) if reason else Destination(host, port)


def _refused_spelling_of_name(authority: str) -> str | None:
    if "%" in authority:
        return "host"
    # Digits of any script: what Chromium takes for a name, ``int()`` and others take for an address.
    last = _PORT.sub("", authority).rstrip(DOTS)
    for dot in DOTS:
        last = last.rpartition(dot)[2]
    return "address_spelling" if last.isnumeric() else None


def _refused_literal(host: str, authority: str) -> str | None:
    address = parse_address(host.strip("[]"))
    if address is None:
        return "host"
    written = _PORT.sub("", authority).lower()
    return refused_address(address) or (None if written == host else "address_spelling")


def _plain_label(label: str) -> bool:
    return (
        len(label) <= MAX_LABEL_LENGTH
        and _LABEL.fullmatch(label) is not None
        and not label.startswith("-")
        and not label.endswith("-")
    )
