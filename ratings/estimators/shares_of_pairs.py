"""How often one agent was preferred to another."""

from __future__ import annotations

from collections.abc import Sequence

from ratings.estimators.comparisons import A_WINS, B_WINS, Comparisons, tabulate


def win_shares(votes: Comparisons, agents: Sequence[str], *, floor: float) -> dict[str, dict[str, float]]:
    """Share of the preferring votes of each ordered pair that prefer the first, ties left out.

    Args:
        votes: n comparisons of M agents.
        agents: their M names.
        floor: least weight of preferring votes of a pair; below it the pair is missing.

    Returns:
        First agent to second agent to share; (a, b) and (b, a) add to one, or both are missing.
    """
    counts = tabulate(votes).weight
    shares: dict[str, dict[str, float]] = {}
    for one, name in enumerate(agents):
        for other, rival in enumerate(agents):
            won = counts[one, other, A_WINS] + counts[other, one, B_WINS]
            lost = counts[one, other, B_WINS] + counts[other, one, A_WINS]
            if one != other and won + lost >= floor:
                shares.setdefault(name, {})[rival] = round(float(won / (won + lost)), 4)
    return shares
