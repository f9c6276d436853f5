"""A panel's own fit: its experts' labels and nobody else's, by the estimator of the headline.

It is never pooled with another one: it reads no board's corpus, and no board reads a panel's battles.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from judging.models import Panel
from judging.panels import PanelLabel, panel_labels
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons
from ratings.headline import HeadlineFit, fit_headline

#: Any number: the same labels give the same intervals.
SEED = 30


@dataclass(frozen=True, slots=True)
class PanelFit:
    """What a panel's labels say.

    Attributes:
        label: the fit's own name.
        labels, judges, battles: how many.
        fit: None while there is no label.
    """

    label: str
    labels: int
    judges: int
    battles: int
    fit: HeadlineFit | None


def fit_panel(panel: Panel) -> PanelFit:
    """Fit a panel's final admissible labels."""
    labels = panel_labels(panel)
    votes, agents = panel_comparisons(labels)
    fit = None if votes is None else fit_headline(votes, agents, seed=SEED)
    judges, battles = {label.judge for label in labels}, {label.battle for label in labels}
    return PanelFit(panel.fit_label, len(labels), len(judges), len(battles), fit)


def panel_comparisons(labels: list[PanelLabel]) -> tuple[Comparisons | None, tuple[str, ...]]:
    """Labels as comparisons, with the agents' keys; the k labels of one battle carry 1/k each.

    As in the headline, both bad is half a win to either side. None while there is no label.
    """
    if not labels:
        return None, ()
    agents = tuple(sorted({agent for label in labels for agent in (label.agent_a, label.agent_b)}))
    judges = sorted({label.judge for label in labels})
    battles = sorted({label.battle for label in labels})
    shared = Counter(label.battle for label in labels)
    votes = Comparisons(
        agents=len(agents),
        judge=np.array([judges.index(label.judge) for label in labels]),
        a=np.array([agents.index(label.agent_a) for label in labels]),
        b=np.array([agents.index(label.agent_b) for label in labels]),
        outcome=np.array([_outcome(label) for label in labels]),
        weight=np.array([1 / shared[label.battle] for label in labels]),
        battle=np.array([battles.index(label.battle) for label in labels]),
    )
    return votes, agents


def _outcome(label: PanelLabel) -> int:
    return {label.agent_a: A_WINS, label.agent_b: B_WINS}.get(label.verdict, TIE)
