"""What an adapter is made with: the roster row's settings, checked, and the key from the environment."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

#: Enough for a long thought and a batch of calls, and no more than the smallest limit of models in use; every model is
#: granted the same unless its row says otherwise.
OUTPUT_TOKENS = 8_192

#: Variables a key may be read from. A row has an address too, so any other variable could be sent anywhere.
_KEY_VARIABLE = re.compile(r"(?!ARENA_)(?=[A-Z0-9_]*(?:KEY|TOKEN))[A-Z][A-Z0-9_]{0,99}")

#: A model's name as the APIs have them: it becomes a part of an address.
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}")

#: What a key may hold: it goes into a header.
_KEY = re.compile(r"[\x21-\x7e]{1,4096}")

#: Ends of names that are never public; so is a name without a dot.
_PRIVATE_NAMES = (".localhost", ".local", ".internal")


class SettingsRefused(ValueError):
    """A roster row that its adapter cannot use; the message says what to change."""


class KeyMissing(LookupError):
    """The environment variable that should hold the key is empty, or holds what cannot be one."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that a roster row may set. ``check`` returns the value to use or raises ``ValueError``."""

    name: str
    help: str
    check: Callable[[Any], Any]


def whole_number(low: int, high: int) -> Callable[[Any], int]:
    """A check for integers from ``low`` to ``high``."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return value

    return check


def number(low: float, high: float) -> Callable[[Any], float]:
    """A check for numbers from ``low`` to ``high``."""

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ValueError(f"must be a number from {low:g} to {high:g}")
        return float(value)

    return check


def one_of(*words: str) -> Callable[[Any], str]:
    """A check for one of some words."""

    def check(value: Any) -> str:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return str(value)

    return check


def short_text(value: Any) -> str:
    """A check for text of at most 200 characters."""
    if not isinstance(value, str) or len(value) > 200:
        raise ValueError("must be text of at most 200 characters")
    return value


def true_or_false(value: Any) -> bool:
    """A check for booleans."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


MAX_OUTPUT_TOKENS = Parameter(
    "max_output_tokens", f"Longest reply, reasoning included. Default {OUTPUT_TOKENS}.", whole_number(256, 200_000)
)
TEMPERATURE = Parameter("temperature", "Sampling temperature. Unset, the provider's own.", number(0, 2))


@dataclass(frozen=True, slots=True)
class HostedSettings:
    """The settings of one hosted agent, checked.

    ``base_url`` is ``None`` for the provider's own; ``key_variable`` is "" where no key is sent.
    """

    model: str
    key_variable: str
    base_url: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def max_output_tokens(self) -> int:
        return int(self.parameters.get("max_output_tokens", OUTPUT_TOKENS))

    def key(self) -> str:
        """The key, from the environment of this process; "" where none is sent.

        Raises:
            KeyMissing: the variable is not set, or holds what no header can carry.
        """
        if not self.key_variable:
            return ""
        key = os.environ.get(self.key_variable, "").strip()
        if not key:
            raise KeyMissing(f"{self.key_variable} is not set, and the key of {self.model} is read from it.")
        if not _KEY.fullmatch(key):
            raise KeyMissing(f"{self.key_variable} holds spaces or characters that no key has.")
        return key


def read_settings(
    settings: Mapping[str, Any],
    *,
    takes: tuple[Parameter, ...],
    default_key_variable: str,
    needs_base_url: bool = False,
) -> HostedSettings:
    """Check a roster row's settings.

    Args:
        settings: ``model_version``, ``base_url``, ``key_variable`` and ``parameters`` of the row.
        takes: the parameters that the adapter understands.
        default_key_variable: where the key is looked for when the row names no variable.
        needs_base_url: whether there is no address to fall back on.

    Raises:
        SettingsRefused: something is missing, unknown or out of range.
    """
    model = str(settings.get("model_version") or "").strip()
    if not model:
        raise SettingsRefused("Pin a model version.")
    if not _MODEL.fullmatch(model) or ".." in model:
        raise SettingsRefused("The model version has characters that no model's name has.")
    base_url = str(settings.get("base_url") or "").strip()
    if needs_base_url and not base_url:
        raise SettingsRefused("This adapter needs a base URL, for example http://127.0.0.1:11434/v1.")
    if base_url:
        check_base_url(base_url)
    key_variable = str(settings.get("key_variable") or "").strip() or default_key_variable
    if key_variable:
        check_key_variable(key_variable)
    return HostedSettings(
        model=model,
        key_variable=key_variable,
        base_url=base_url or None,
        parameters=check_parameters(settings.get("parameters") or {}, takes),
    )


def check_parameters(given: Any, takes: tuple[Parameter, ...]) -> dict[str, Any]:
    """The parameters of a row, as the adapter uses them.

    Raises:
        SettingsRefused: one is unknown or out of range.
    """
    if not isinstance(given, Mapping):
        raise SettingsRefused("The parameters have to be names with values.")
    known = {parameter.name: parameter for parameter in takes}
    checked: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            there_are = f"there are: {', '.join(sorted(known))}" if known else "this adapter has none"
            raise SettingsRefused(f"There is no parameter {str(name)[:40]!r} here; {there_are}.")
        try:
            checked[name] = known[name].check(value)
        except ValueError as problem:
            raise SettingsRefused(f"{name} {problem}.") from None
    return checked


def check_key_variable(name: str) -> None:
    """Whether a key may be read from this environment variable.

    Raises:
        SettingsRefused: it may not.
    """
    if not _KEY_VARIABLE.fullmatch(name):
        raise SettingsRefused(
            "The key variable has to be a name of A-Z, 0-9 and _ with KEY or TOKEN in it that does not begin with "
            "ARENA_, for example ANTHROPIC_API_KEY: what it holds is sent to the base URL."
        )


def check_base_url(url: str) -> None:
    """Whether requests with a key may go to this address.

    Plain http is for machines of one's own: loopback, private addresses, and names that are never public.

    Raises:
        SettingsRefused: they may not.
    """
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise SettingsRefused("The base URL has characters that no address has.")
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        raise SettingsRefused("The base URL is no address.") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise SettingsRefused("The base URL has to begin with https:// or, for a machine of your own, http://.")
    if "@" in parts.netloc:
        raise SettingsRefused("The base URL must hold no name or password: keys come from the key variable only.")
    if parts.query or parts.fragment:
        raise SettingsRefused("The base URL must hold no ? and no #.")
    if parts.scheme == "http" and not _is_ones_own(host):
        raise SettingsRefused("Plain http would show the key to everybody on the way to that host; use https.")


def _is_ones_own(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or "." not in host or host.endswith(_PRIVATE_NAMES)
    if address.is_loopback:
        return True
    # Link-local addresses are where clouds keep their credentials.
    return address.is_private and not (address.is_link_local or address.is_unspecified or address.is_reserved)
