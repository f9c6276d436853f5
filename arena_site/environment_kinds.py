"""How the text of an ``ARENA_*`` variable is read, by the kind that its row names.

Each reader raises ``ValueError`` with the rest of a sentence that begins with the variable's name.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from battles.costs import parse_dollars
from governance.ledger.notes import KEY_BYTES, NAME

CHECKOUT = Path(__file__).resolve().parents[1]

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})
#: A shorter one could be guessed over the network.
SECRET_CHARACTERS = 16
LOG_FORMATS = ("plain", "json")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
DATABASE_SCHEMES = frozenset({"postgres", "postgresql"})
REDIS_SCHEMES = frozenset({"redis", "rediss", "unix"})


def _text(value: str) -> str:
    return value


def _flag(value: str) -> bool:
    if value.lower() in TRUE_WORDS:
        return True
    if value.lower() in FALSE_WORDS:
        return False
    raise ValueError("must be true or false")


def _names(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _port(value: str) -> int:
    number = int(value) if value.isascii() and value.isdigit() else 0
    if not 1 <= number <= 65535:
        raise ValueError("must be a port from 1 to 65535")
    return number


def _count(value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise ValueError("must be a whole number, 1 or more")
    return int(value)


def _number(value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise ValueError("must be a whole number, 0 or more")
    return int(value)


def _dollars(value: str) -> Decimal:
    return parse_dollars(value)


def _path(value: str) -> Path:
    return CHECKOUT / Path(value).expanduser()


def _log_level(value: str) -> str:
    if value.upper() not in LOG_LEVELS:
        raise ValueError(f"must be one of {', '.join(LOG_LEVELS)}")
    return value.upper()


def _secret(value: str) -> str:
    if len(value) < SECRET_CHARACTERS:
        raise ValueError(f"must have {SECRET_CHARACTERS} characters or more: openssl rand -hex 24")
    return value


def _log_format(value: str) -> str:
    if value.lower() not in LOG_FORMATS:
        raise ValueError(f"must be one of {', '.join(LOG_FORMATS)}")
    return value.lower()


def _address(value: str, schemes: frozenset[str]) -> str:
    scheme = urlsplit(value).scheme
    if scheme not in schemes:
        raise ValueError(f"must start with one of {', '.join(f'{name}://' for name in sorted(schemes))}")
    return value


def _database_address(value: str) -> str:
    return _address(value, DATABASE_SCHEMES)


def _redis_address(value: str) -> str:
    return _address(value, REDIS_SCHEMES)


def _bucket_address(value: str) -> dict[str, Any]:
    """Where files lie: the bucket, what their names begin with, and the server.

    Credentials have no place in it: addresses are shown and logged.
    """
    parts = urlsplit(value)
    asked = parse_qs(parts.query, keep_blank_values=True)
    if parts.scheme != "s3" or not parts.hostname or parts.fragment:
        raise ValueError("must be s3://bucket/prefix, with ?endpoint=https://host where it is not Amazon's")
    if parts.username or parts.password:
        raise ValueError("must not have a key in it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    if unknown := sorted(set(asked) - {"endpoint", "region"}):
        raise ValueError(f"knows endpoint and region, and not {unknown[0]}")
    endpoint = asked.get("endpoint", [""])[0]
    server = urlsplit(endpoint)
    if endpoint and (server.scheme not in {"http", "https"} or not server.hostname or server.username):
        raise ValueError("must have an endpoint such as https://storage.example:9000, without a key in it")
    return {
        "bucket_name": parts.hostname,
        "location": parts.path.strip("/"),
        "endpoint_url": endpoint or None,
        "region_name": asked.get("region", ["us-east-1"])[0],
    }


def _host_and_port(text: str) -> tuple[str, int]:
    host, colon, port = text.strip().rpartition(":")
    if not (host and colon) or any(mark in host for mark in "/@ ") or (":" in host and not host.startswith("[")):
        raise ValueError(f"must be host:port=address:port, and {text.strip()!r} is not host:port")
    return host.lower().strip("[]"), _port(port)


def _egress_rules(value: str) -> dict[tuple[str, int], tuple[str, int]]:
    rules: dict[tuple[str, int], tuple[str, int]] = {}
    for rule in _names(value):
        asked, equals, granted = rule.partition("=")
        if not equals:
            raise ValueError(f"must be host:port=address:port, and {rule!r} has no =")
        rules[_host_and_port(asked)] = _host_and_port(granted)
    return rules


def _log_name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise ValueError("must be a name such as arena.example/ledger, without spaces and +")
    return value


def _private_key(value: str) -> bytes:
    try:
        seed = base64.b64decode(value, validate=True)
    except ValueError:
        seed = b""
    if len(seed) != KEY_BYTES:
        raise ValueError(f"must be {KEY_BYTES} random bytes in base64: openssl rand -base64 {KEY_BYTES}")
    return seed


PARSERS: Mapping[str, Callable[[str], Any]] = {
    "text": _text,
    "true or false": _flag,
    "names, separated by commas": _names,
    "port": _port,
    "whole number": _count,
    "whole number or 0": _number,
    "amount in USD": _dollars,
    "path": _path,
    "log level": _log_level,
    "plain or json": _log_format,
    "secret": _secret,
    "name of a log": _log_name,
    "32 bytes in base64": _private_key,
    "database address": _database_address,
    "Redis address": _redis_address,
    "s3://bucket/prefix": _bucket_address,
    "host:port=address:port, separated by commas": _egress_rules,
}
