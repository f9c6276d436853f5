"""Which network a visitor comes from, as a keyed hash that holds for a day. The address itself is kept nowhere.

What is hashed is a prefix (IPv4 /24, IPv6 /48). The key is derived from ``SECRET_KEY`` and the date, so tags of two
days cannot be matched, and without the key no tag can be turned back into a prefix by trying them all.
"""

import hashlib
import hmac
import ipaddress
from datetime import date, datetime, timedelta

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

#: What one subscriber or one office usually has.
IPV4_PREFIX = 24
IPV6_PREFIX = 48
KEY_SALT = b"ringside network of the day"
#: The tag of visitors whose network cannot be known: behind a proxy that no setting declares, or on this machine.
UNKNOWN = "unknown"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def visitor_address(request: HttpRequest) -> Address | None:
    """The visitor's address, or None where it cannot be known.

    ``X-Forwarded-For`` is read only as far as ``ARENA_TRUSTED_PROXIES`` says that proxies of ours wrote it. Without
    any, an address that is not a public one is a proxy's or this machine's.
    """
    proxies: int = settings.ARENA_TRUSTED_PROXIES
    if not proxies:
        address = _parsed(request.META.get("REMOTE_ADDR", ""))
        return address if address is not None and address.is_global else None
    forwarded = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
    return _parsed(forwarded[-proxies]) if len(forwarded) >= proxies else None


def _parsed(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def network_tags(request: HttpRequest, *, now: datetime | None = None) -> tuple[str, str]:
    """The visitor's tag of today and that of yesterday, for windows that reach back over midnight; UTC."""
    today = (now or timezone.now()).date()
    address = visitor_address(request)
    if address is None:
        return UNKNOWN, UNKNOWN
    bits = IPV4_PREFIX if address.version == 4 else IPV6_PREFIX
    prefix = ipaddress.ip_network(f"{address}/{bits}", strict=False)
    return _tag(str(prefix), today), _tag(str(prefix), today - timedelta(days=1))


def keyed_hash(text: str, day: date) -> str:
    """SHA-256 of a text under the key of a day, in hexadecimal."""
    key = hmac.digest(settings.SECRET_KEY.encode(), KEY_SALT + day.isoformat().encode(), hashlib.sha256)
    return hmac.digest(key, text.encode(), hashlib.sha256).hex()


def _tag(prefix: str, day: date) -> str:
    return keyed_hash(f"network {prefix}", day)
