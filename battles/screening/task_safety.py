"""May two agents do this task, twice, for real, with nobody's account? Rules as data decide.

What counts is what the agents are told to do: "buy the kettle" is refused, "where can I buy a kettle" is not. So most
rules look only at how a command begins; secrets and harm are looked for anywhere.

These are rules of thumb about English words, measured on labelled texts (tests/battles/screening/safety_cases.jsonl).
On 91 texts written after the rules were done, in the words people use, they refused 47 of the 51 that should be refused
and 1 of the 40 that should not. Two earlier sets, written to be roundabout ("put 20 on the home team"), were seen
half: 30 of 64 and 30 of 53 before the rules learned from them. Who wants to get around the rules can, and other
languages pass unread except for secrets of a known form.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from battles.screening.canonical_wording import plain_text
from battles.screening.instruction_commands import commands_in
from governance.errors import ArenaError

SHIPPED_RULES = Path(__file__).parent / "data" / "safety_rules.toml"

PRACTICE_SUFFIX = ".practice.test"
"""Hosts of the arena's own practice sites: each lane has its own copy, so that buying and deleting there is play."""

ANYWHERE = "anywhere"
COMMAND = "command"

_NAMED = re.compile(r"\{([a-z_]+)\}")


class SafetyRulesUnusable(ArenaError):
    """A rule file is missing, is not TOML, or holds a rule that cannot work."""

    code = "safety_rules_unusable"
    status = 500


@dataclass(frozen=True, slots=True)
class SafetyRefusal:
    """Why a task is refused: a stable ``code``, the ``reason`` and an ``example`` of how to ask instead."""

    code: str
    reason: str
    example: str

    @property
    def message(self) -> str:
        return f"{self.reason} {self.example}"


@dataclass(frozen=True, slots=True)
class SafetyRule:
    """One entry of a rule file; see the head of ``safety_rules.toml``."""

    code: str
    scope: str
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None
    unless_text: re.Pattern[str] | None
    checks: str

    def speaks(self, text: str, commands: Iterable[str]) -> bool:
        if self.unless_text and self.unless_text.search(text):
            return False
        if self.scope == COMMAND:
            return any(self.pattern.match(one) and not self._excused(one) for one in commands)
        return not self._excused(text) and any(self._checks_out(hit.group()) for hit in self.pattern.finditer(text))

    def _excused(self, text: str) -> bool:
        return bool(self.unless and self.unless.search(text))

    def _checks_out(self, found: str) -> bool:
        return not self.checks or _CHECKS[self.checks](found)


@dataclass(frozen=True, slots=True)
class SafetyRules:
    rules: tuple[SafetyRule, ...]
    refusals: dict[str, SafetyRefusal]

    def refusal(self, instruction: str) -> SafetyRefusal | None:
        text = plain_text(instruction)
        commands = commands_in(instruction)
        for rule in self.rules:
            if rule.speaks(text, commands):
                return self.refusals[rule.code]
        return None


def task_safety_refusal(instruction: str, *, host: str = "", rules: SafetyRules | None = None) -> SafetyRefusal | None:
    """Why this task may not be raced, or ``None`` when it may.

    Args:
        instruction: the task as posted.
        host: of the start address; on a practice site everything is allowed.
        rules: others than the shipped ones, from :func:`load_safety_rules`.
    """
    if is_practice_host(host):
        return None
    return (rules or load_safety_rules(SHIPPED_RULES)).refusal(instruction)


def is_practice_host(host: str) -> bool:
    return host.casefold().rstrip(".").endswith(PRACTICE_SUFFIX)


def load_safety_rules(*paths: Path) -> SafetyRules:
    """The rules of these files together, in order; a later file may reword a refusal or use an earlier one's codes.

    Raises:
        SafetyRulesUnusable: what is wrong with which file.
    """
    return _load(paths)


@functools.lru_cache(maxsize=8)
def _load(paths: tuple[Path, ...]) -> SafetyRules:
    rules: list[SafetyRule] = []
    refusals: dict[str, SafetyRefusal] = {}
    words: dict[str, str] = {}
    for path in paths:
        try:
            content = tomllib.loads(path.read_text("utf-8"))
            refusals |= {row["code"]: SafetyRefusal(**row) for row in content.get("refusal", [])}
            words |= content.get("words", {})
            rules += [_rule(row, refusals, words) for row in content.get("rule", [])]
        except (OSError, ValueError, TypeError, KeyError, re.error) as error:
            raise SafetyRulesUnusable(f"{path} is not a usable file of safety rules: {error!r}") from error
    return SafetyRules(tuple(rules), refusals)


def _rule(row: dict[str, Any], refusals: dict[str, SafetyRefusal], words: dict[str, str]) -> SafetyRule:
    code, scope, checks = row["code"], row["scope"], row.get("checks", "")
    if code not in refusals:
        raise ValueError(f"the rule for {code!r} has no refusal to give")
    if scope not in {ANYWHERE, COMMAND} or checks not in {"", *_CHECKS} or not row["patterns"]:
        raise ValueError(f"a rule for {code!r} has an unknown scope or check, or no patterns")
    return SafetyRule(
        code=code,
        scope=scope,
        pattern=_either(row["patterns"], words),
        unless=_either(row["unless"], words) if "unless" in row else None,
        unless_text=_either(row["unless_text"], words) if "unless_text" in row else None,
        checks=checks,
    )


def _either(patterns: list[str], words: dict[str, str]) -> re.Pattern[str]:
    """One expression for several, ``{name}`` filled in from ``words``."""
    filled = [_NAMED.sub(lambda name: words[name.group(1)], pattern) for pattern in patterns]
    return re.compile("|".join(f"(?:{pattern})" for pattern in filled), re.IGNORECASE)


def _is_card(found: str) -> bool:
    """Whether the digits pass the check that payment cards pass (Luhn, US patent 2,950,048)."""
    digits = [int(digit) for digit in re.sub(r"\D", "", found)]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


def _is_iban(found: str) -> bool:
    """Whether it passes the check of an international bank account number (ISO 13616, mod 97)."""
    compact = re.sub(r"\s", "", found).upper()
    return int("".join(str(int(character, 36)) for character in compact[4:] + compact[:4])) % 97 == 1


_CHECKS = {"card": _is_card, "iban": _is_iban}
