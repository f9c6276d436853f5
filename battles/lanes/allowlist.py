"""Private addresses that lanes may reach in spite of the egress policy."""

from django.conf import settings

from battles.checks import practice_hosts


def operator_allowlist() -> dict[str, str]:
    """The operator's own entries (``ARENA_EGRESS_ALLOW``): ``host:port`` as asked for to ``address:port``."""
    rules = settings.ARENA_EGRESS_ALLOW.items()
    return {_written(host, port): _written(address, to) for (host, port), (address, to) in rules}


def _written(host: str, port: int) -> str:
    """As an address writes it: IPv6 in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def startable_hosts() -> frozenset[str]:
    """Every ``host:port`` outside the public net where a task may start: the operator's and the practice sites."""
    return frozenset(operator_allowlist()) | {f"{host}:80" for host in practice_hosts()}
