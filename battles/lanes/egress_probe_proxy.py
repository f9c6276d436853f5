"""The egress proxy with a scripted world around it: ``python -m battles.lanes.egress_probe_proxy``.

Names answer what the probe says, one lookup after the other, and public addresses are wired to the probe's own
loopback servers. Everything in between (parsing, the policy, pinning) is the proxy itself. Every address it dials is
reported as ``{"event": "dialled", "address", "port"}``: that list is what the probe judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from battles.lanes.egress_proxy import Network, Proxy, Stream, main, report


class ScriptedNetwork(Network):
    """Answers and wires from a table; nothing else of the world exists.

    Args:
        answers: host name to the addresses of one lookup after the other; the last is repeated.
        wires: address as dialled to the loopback ``address:port`` that plays it.
    """

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]], wires: Mapping[str, str]) -> None:
        self._answers = {host: list(rounds) for host, rounds in answers.items()}
        self._wires = dict(wires)

    def look_up(self, host: str, port: int) -> tuple[tuple[str, ...], str]:
        rounds = self._answers.get(host)
        if not rounds:
            raise OSError(f"{port}: no such name")
        answer = rounds.pop(0) if len(rounds) > 1 else rounds[0]
        return tuple(answer), host

    async def dial(self, address: str, port: int) -> Stream | None:
        report("dialled", address=address, port=port)
        wire = self._wires.get(f"{address}:{port}") or self._wires.get(address)
        if wire is None:
            return None
        host, _, wired = wire.rpartition(":")
        return await super().dial(host, int(wired))


def make_proxy(config: Mapping[str, Any]) -> Proxy:
    """A proxy that looks every name up anew, so that each connection is a chance to rebind."""
    return Proxy(config["allow"], ScriptedNetwork(config["answers"], config["wires"]), resolved_seconds=0.0)


if __name__ == "__main__":
    main(make_proxy)
