"""Cases of the egress policy, as data: a URL, what the resolver and the site would answer, and the right verdict.

A case is a mapping with ``id``, ``url`` and ``expect`` (``allow`` or ``block``), and where they matter ``dns`` (host
name to the answers of one lookup after the other), ``cname`` (host name to the name it stands for) and
``redirects`` (where the site sends the browser, one hop after the other). Pure: nothing is resolved or dialled.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ada_url import URL

from battles.lanes.egress_addresses import parse_address
from battles.lanes.egress_policy import Destination, Refusal, judge_connection, judge_url

#: The cases that come with the arena.
SHIPPED_CASES = Path(__file__).with_name("egress_cases.jsonl")

#: CNAMEs followed before a chain counts as a loop, as resolvers do.
MAX_CNAMES = 8


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a JSON-lines file, gzipped when its name ends in ``.gz``.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is not a case; the message has its number.
    """
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    cases = []
    for number, line in enumerate(data.decode("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        case = json.loads(line)
        if not isinstance(case, dict) or not {"id", "url", "expect"} <= case.keys():
            raise ValueError(f"line {number} of {path.name} is not a case: id, url and expect are needed")
        cases.append(case)
    return cases


def judge_case(case: Mapping[str, Any]) -> Refusal | None:
    """What the proxy would refuse of all that a case makes a browser do; ``None`` when it would refuse nothing.

    A lookup that answers differently each time is judged each time: a page opens more than one connection.
    """
    base: str | None = None
    for url in (case["url"], *case.get("redirects", ())):
        verdict = judge_url(url, base=base)
        if isinstance(verdict, Refusal):
            return verdict
        refusal = _judge_lookups(verdict, case) if verdict.host else None
        if refusal is not None:
            return refusal
        base = URL(url, base=base).href
    return None


def wrong_cases(cases: Iterable[Mapping[str, Any]]) -> list[str]:
    """The identifiers of the cases on which the policy is wrong, in their order."""
    return [str(case["id"]) for case in cases if (judge_case(case) is None) != (case["expect"] == "allow")]


def _judge_lookups(destination: Destination, case: Mapping[str, Any]) -> Refusal | None:
    host, port = destination.host, destination.port
    if parse_address(host) is not None:
        return judge_connection(host, port, [host])
    aliases = {_plain(name): target for name, target in case.get("cname", {}).items()}
    answers = {_plain(name): rounds for name, rounds in case.get("dns", {}).items()}
    name = host
    for _ in range(MAX_CNAMES):
        if name not in aliases:
            break
        name = _plain(aliases[name])
    rounds = answers.get(host) or answers.get(name) or [[]]
    refusals = (judge_connection(host, port, answer or [], canonical=name) for answer in rounds)
    return next((refusal for refusal in refusals if refusal is not None), None)


def _plain(name: str) -> str:
    return name.lower().removesuffix(".")
