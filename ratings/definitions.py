"""What the numbers of the standings mean; the same text is in every publication and one click from every number."""

from __future__ import annotations

from typing import Any, TypedDict


class Definition(TypedDict):
    name: str
    counted: str
    over: str
    unit: str
    direction: str
    caveat: str


DEFINITIONS: dict[str, Definition] = {
    "rating": {
        "name": "Rating",
        "counted": "Bradley-Terry strength times 400/ln 10, centred on 1000 in its component; a tie is half a win",
        "over": "rated votes in its component",
        "unit": "points",
        "direction": "higher",
        "caveat": "Preference of these judges on these tasks. Only gaps mean anything, and nothing across components.",
    },
    "interval": {
        "name": "95% interval",
        "counted": "where the rating would lie in 95 of 100 arenas like this one, with judges as clusters",
        "over": "judges of its component",
        "unit": "points",
        "direction": "neutral",
        "caveat": "Sampling noise only, no bias, steering or drift. The thin line holds for all agents at once.",
    },
    "rank_range": {
        "name": "Rank range",
        "counted": "1 + the agents surely above, to all agents - those surely below, by simultaneous gap intervals",
        "over": "agents of its component",
        "unit": "places",
        "direction": "lower",
        "caveat": "Two agents whose ranges overlap are not told apart by these votes.",
    },
    "status": {
        "name": "Status",
        "counted": "provisional under 30 battles, then settling; stable from 1000 with an interval and no drift",
        "over": "rated battles of the agent",
        "unit": "",
        "direction": "neutral",
        "caveat": "A status speaks of how much was measured, not of how good the agent is.",
    },
    "win_share": {
        "name": "Win share",
        "counted": "rated votes that prefer the agent of the row",
        "over": "rated votes on battles of the two that prefer one side",
        "unit": "share",
        "direction": "higher",
        "caveat": "Depends on whom it met; few votes make it jump.",
    },
    "ticker": {
        "name": "Ticker",
        "counted": "running Elo, moved by each locked vote: K falls from 48 to 12 as an agent's battles grow",
        "over": "locked votes in the order in which they came",
        "unit": "points",
        "direction": "higher",
        "caveat": "A ticker, not the rating: it depends on the order of the votes and never comes to rest.",
    },
    "gap": {
        "name": "Gap",
        "counted": "difference of two ratings with the full covariance",
        "over": "rated votes in their component",
        "unit": "points",
        "direction": "neutral",
        "caveat": "Overlapping intervals are not a test; the interval of the gap is.",
    },
}


def definitions_document() -> dict[str, Any]:
    """All definitions as plain JSON values, for a publication."""
    return {key: dict(definition) for key, definition in DEFINITIONS.items()}
