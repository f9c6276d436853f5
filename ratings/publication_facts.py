"""What stands behind an order, as rows of a page: probes, exclusions, and what was measured how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratings.definitions import DEFINITIONS, ON_PAGES, Definition
from ratings.probes import WORDS
from ratings.standings import StandingRow

#: Words for what a probe says.
WARNS, HOLDS, SILENT = "warns", "holds", "cannot answer"
#: How a reason that comes from what lanes did is called in a column.
EXCLUSION_WORDS = {
    "no_trajectory": "never ran",
    "identity_leaked": "named a model",
    "unequal_budgets": "unequal budgets",
}


@dataclass(frozen=True, slots=True)
class ProbeRow:
    title: str
    answer: str
    figure: str
    threshold: str
    unit: str
    meaning: str
    id: str
    definition: Definition


@dataclass(frozen=True, slots=True)
class ExclusionRow:
    """One agent: percent of its ended battles that each rule excluded, and its rank with those as losses."""

    agent_name: str
    agent_href: str
    percents: tuple[float | None, ...]
    rank: int | None
    rank_if_lost: int | None


@dataclass(frozen=True, slots=True)
class Fact:
    """``key`` names its definition; what is no number has none."""

    name: str
    value: str
    key: str = ""

    @property
    def id(self) -> str:
        return f"def-fact-{self.key}"

    @property
    def definition(self) -> Definition | None:
        return (DEFINITIONS | ON_PAGES).get(self.key)


def probe_rows(document: Mapping[str, Any]) -> list[ProbeRow]:
    """Probes of a public document; those that warn come first."""
    rows = [
        ProbeRow(
            title=WORDS[probe["key"]].title,
            answer=SILENT if probe["fired"] is None else WARNS if probe["fired"] else HOLDS,
            figure=_figure(probe),
            threshold=_short(probe["threshold"]),
            unit=WORDS[probe["key"]].unit,
            meaning=_meaning(probe),
            id=f"def-probe-{probe['key']}",
            definition=_definition(probe),
        )
        for probe in document.get("audit", {}).get("probes", [])
        if probe["key"] in WORDS
    ]
    return sorted(rows, key=lambda row: [WARNS, HOLDS, SILENT].index(row.answer))


def _definition(probe: Mapping[str, Any]) -> Definition:
    words = WORDS[probe["key"]]
    return {
        "name": words.title,
        "counted": words.unit,
        "over": "rated votes of the largest group that is rated on one scale",
        "unit": "",
        "direction": f"it warns past {_short(probe['threshold'])}",
        "caveat": f"A warning says: {words.meaning} None says only that these votes do not show it.",
    }


def _figure(probe: Mapping[str, Any]) -> str:
    """The figure with its interval; nothing where there is none."""
    if probe["value"] is None:
        return ""
    ends = "" if probe["lower"] is None else f" ({_short(probe['lower'])} to {_short(probe['upper'])})"
    return f"{_short(probe['value'])}{ends}"


def _short(value: float | None) -> str:
    """Three digits behind the point, and none of them a zero at the end; whole points where they are many."""
    if value is None:
        return "no limit"
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.3f}".rstrip("0").rstrip(".")


def _meaning(probe: Mapping[str, Any]) -> str:
    """What is said beside the figure: why there is no answer, or what a warning means."""
    if probe["fired"] is None:
        return str(probe["reason"] or "")
    if probe["fired"]:
        return WORDS[probe["key"]].meaning
    return "Its figure is a count, which is not published." if probe["value"] is None else ""


def exclusion_rows(document: Mapping[str, Any], rows: Sequence[StandingRow]) -> list[ExclusionRow]:
    """Exclusions by agent in the order of the standings."""
    found = document.get("audit", {}).get("exclusions", {})
    return [
        ExclusionRow(
            agent_name=row.agent_name,
            agent_href=row.agent_href,
            percents=tuple(_percent(found[row.agent_key]["rates"].get(reason)) for reason in EXCLUSION_WORDS),
            rank=found[row.agent_key]["point_rank"],
            rank_if_lost=found[row.agent_key]["point_rank_if_lost"],
        )
        for row in rows
        if row.agent_key in found
    ]


def fact_rows(document: Mapping[str, Any]) -> list[Fact]:
    """What the numbers measure and what they rest on, as shares; those that cannot be said are left out."""
    audit, measures = document.get("audit", {}), document.get("measures", {})
    position = document.get("position", {})
    share = position.get("slot_a_share")
    facts = [
        Fact("Tasks", measures.get("task_population", "")),
        Fact("Judges", measures.get("judge_pool", "")),
        Fact("Interface", f"version {measures['interface_version']}" if measures else ""),
        Fact("Rubric", ", ".join(measures.get("rubric_versions", []))),
        Fact("Ties", _percent_words(audit.get("tie_share")), "tie_share"),
        Fact("Both bad", _percent_words(audit.get("both_bad_share")), "both_bad_share"),
        Fact("Judged by who posted the task", _percent_words(audit.get("self_judged_share")), "self_judged_share"),
        Fact("Votes of the busiest judge", _percent_words(audit.get("top_judge_share")), "top_judge_share"),
        Fact(
            "Slot A preferred",
            ""
            if share is None
            else f"{100 * share:.0f}% ({100 * position['slot_a_lower']:.0f} to {100 * position['slot_a_upper']:.0f}%)",
            "slot_a_share",
        ),
        Fact("Ledger then", _ledger_words(document.get("ledger"))),
        Fact("Fitted with", ", ".join(f"{name} {version}" for name, version in document.get("libraries", {}).items())),
    ]
    return [fact for fact in facts if fact.value]


def _ledger_words(head: Mapping[str, Any] | None) -> str:
    return "" if head is None else f"size {head['size']}, root {head['root'][:16]}…"


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share)


def _percent_words(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f}%"
