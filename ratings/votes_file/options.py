"""How votes are fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ratings.component_fits import ClusteredOn
from ratings.estimators.scale import ANCHOR

TieRule = Literal["half", "davidson", "rao-kupper", "drop"]


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How votes are fitted.

    Attributes:
        ties: half a win for each, an outcome of its own in Davidson's or Rao and Kupper's model, or left out.
        cluster: whose votes may depend on each other; None for the judges' where the files name them, else a battle's.
        anchor: the agent whose rating is ``anchor_points``; None where the mean of the rated agents is 1000.
        anchor_points: where the scale is held.
        audit: whether the probes are asked.
        seed: of everything simulated; no rating and no standard error depends on it.
    """

    ties: TieRule = "half"
    cluster: ClusteredOn | None = None
    anchor: str | None = None
    anchor_points: float = ANCHOR
    audit: bool = False
    seed: int = 0
