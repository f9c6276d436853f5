"""Expert panels as the standings page shows them: each with an order of its own, or why there is none.

An order is shown when a panel is closed and nobody is judging its battles any more: numbers that move with each label
would tell its experts, who are still blind, which agents raced.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from judging.models import Assignment, Panel, Vote
from judging.panels import PanelLabel, panel_labels
from ratings.headline import fit_headline
from ratings.panel_fits import SEED, panel_comparisons
from ratings.projection import public_rows
from ratings.rating_rows import rating_rows
from ratings.standings import StandingRow, rows_of

JUDGING = "Its experts are still judging, without names. The order is shown when they are done."
NO_LABELS = "It was closed before any label of it could rate, so there is no order."


@dataclass(frozen=True, slots=True)
class PanelFigure:
    """One panel. ``rows`` are empty where ``refusal`` says why.

    Attributes:
        name, qualification: of the panel, in its operator's words.
        rubric: version of the rubric its experts judged by.
        components: how many groups of agents there are that never met, even through others.
    """

    name: str
    qualification: str
    rubric: int
    rows: Sequence[StandingRow] = ()
    components: int = 1
    refusal: str = ""


def panel_figures() -> list[PanelFigure]:
    """Every panel that was opened, the newest first."""
    return [_figure(panel) for panel in Panel.objects.order_by("-pk")]


def _figure(panel: Panel) -> PanelFigure:
    named = (panel.name, panel.qualification, panel.rubric_id)
    if panel.closed_at is None or _is_in_hand(panel):
        return PanelFigure(*named, refusal=JUDGING)
    labels = panel_labels(panel)
    if not labels:
        return PanelFigure(*named, refusal=NO_LABELS)
    rows = rows_of(_public_rows(tuple(labels)))
    components = {row.component for row in rows if row.component is not None}
    return PanelFigure(*named, rows=rows, components=len(components))


def _is_in_hand(panel: Panel) -> bool:
    """Whether somebody was handed a battle of it and has not answered, or may still revise what they answered."""
    handed = Assignment.objects.filter(battle__panel__panel=panel, outcome=Assignment.Outcome.OPEN)
    revisable = Vote.objects.filter(battle__panel__panel=panel, locked_at__isnull=True, withdrawn_at__isnull=True)
    return handed.exists() or revisable.exists()


@functools.lru_cache(maxsize=16)
def _public_rows(labels: tuple[PanelLabel, ...]) -> list[dict[str, object]]:
    """Fitted once for the labels as they are: whoever is put aside or withdraws makes others."""
    votes, agents = panel_comparisons(list(labels))
    if votes is None:
        return []
    return public_rows(rating_rows(fit_headline(votes, agents, seed=SEED)))
