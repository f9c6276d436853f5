"""What is disclosed of exclusions: shares by reason and by agent, as the publication in force has them."""

from __future__ import annotations

from typing import Any

from governance.disclosures import Cell, Disclosure, Sheet, register_disclosure
from ratings.audit import GAMEABLE
from ratings.eligibility import REASON_WORDS, Reason
from ratings.standings import board_in_force, document_of

#: Said where a share is withheld.
WITHHELD = "too few to say"


def exclusions() -> Sheet:
    """Labels that rate nobody, by the first reason that applies, and battles by agent."""
    publication = board_in_force()
    audit: dict[str, Any] = document_of(publication)["audit"] if publication else {}
    shares = audit.get("label_shares", {})
    return Sheet(
        says=(
            "Nothing that is left out is deleted. A label rates nobody when one of these holds, and the first that "
            "does names it.",
        ),
        columns=("What holds", "Share of labels"),
        rows=tuple(
            (Cell(words[:1].upper() + words[1:]), Cell(_percent(shares.get(reason.name.lower()))))
            for reason, words in REASON_WORDS.items()
            if reason != Reason.NOT_LIVE
        )
        if publication
        else (),
        none="Nothing has been published yet, so there are no shares to show.",
        more=_by_agent(audit.get("exclusions", {})),
    )


def _by_agent(found: dict[str, Any]) -> tuple[str, ...]:
    """A sentence for each agent whose own battles were left out for what its lanes did."""
    names = {reason.name.lower(): REASON_WORDS[reason] for reason in GAMEABLE}
    said = []
    for agent, exclusion in sorted(found.items()):
        rates = {name: rate for name, rate in exclusion["rates"].items() if rate}
        if rates:
            listed = "; ".join(f"{_percent(rate)} because {names[name]}" for name, rate in sorted(rates.items()))
            said.append(f"Of the battles of {agent}, {listed}.")
    return tuple(said)


def _percent(share: float | None) -> str:
    return WITHHELD if share is None else f"{share:.0%}"


register_disclosure(Disclosure("exclusions", "Exclusions", place=60, read=exclusions))
