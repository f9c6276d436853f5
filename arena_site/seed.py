"""What a new installation starts with: the reference agents and the consent sentence."""

from battles.dispatch import ring
from battles.models import Agent
from battles.practice import keep_practice_stocked
from battles.roster import roster_agent
from governance.consent import current_text

#: The reference agents: key, name, adapter. Policies of our own that need no key, labelled as baselines.
REFERENCE_AGENTS = (
    ("reference-lexical", "Reference Lexical", "reference-lexical"),
    ("reference-explorer", "Reference Explorer", "reference-explorer"),
    ("reference-random", "Reference Random", "reference-random"),
)
REFERENCE_VERSION = "1"


def seed() -> int:
    """Roster the reference agents that are missing and archive the consent sentence; returns how many were added."""
    current_text()
    added = 0
    for key, name, adapter in REFERENCE_AGENTS:
        if not Agent.objects.filter(key=key).exists():
            roster_agent(
                key=key,
                name=name,
                provider="Ringside",
                adapter=adapter,
                model_version=f"{key}-{REFERENCE_VERSION}",
                kind=Agent.Kind.BASELINE,
                actor="system:seed",
            )
            added += 1
    return added


def race_a_first_battle() -> None:
    """Queue a practice battle where none waits, so that the first page has something live."""
    for battle_id in keep_practice_stocked():
        ring(battle_id)
