"""A scale held at one agent: its points are given, and everybody else is so far above or below it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ratings.estimators.scale import ANCHOR
from ratings.headline import AgentRating, HeadlineFit, RatingBound
from ratings.inference.ranks import places
from ratings.inference.status import status
from ratings.votes_file.options import FitOptions


def anchor_component(headline: HeadlineFit, options: FitOptions) -> int | None:
    """The component that the anchor holds; None without an anchor, or with one that is not rated."""
    if options.anchor is None:
        return None
    row = headline[options.anchor]
    return row.component if row.rating is not None else None


def anchored(headline: HeadlineFit, options: FitOptions) -> tuple[AgentRating, ...]:
    """The rows with the anchor's own rating exact, and its component moved to its points."""
    number = anchor_component(headline, options)
    if number is None:
        return headline.agents
    shift = options.anchor_points - ANCHOR
    rows = []
    for row in headline.agents:
        if row.component != number:
            rows.append(row)
        elif row.agent == options.anchor:
            rows.append(_exact(row, options.anchor_points))
        else:
            rows.append(_moved(row, shift))
    own = [place for place, row in enumerate(rows) if row.component == number and row.rating is not None]
    lower = [rows[place].lower for place in own]
    upper = [rows[place].upper for place in own]
    ranked = places(
        np.array([-math.inf if end is None else end for end in lower]),
        np.array([math.inf if end is None else end for end in upper]),
    )
    for place, rank in zip(own, ranked, strict=True):
        rows[place] = replace(rows[place], place=rank)
    return tuple(rows)


def _exact(row: AgentRating, points: float) -> AgentRating:
    """The anchor: its rating is given and not estimated, so that it has no error, and no interval but itself."""
    return replace(
        row,
        rating=points,
        se=0.0,
        lower=points,
        upper=points,
        simultaneous_lower=points,
        simultaneous_upper=points,
        status=status(row.battles, identified=True),
        reason=None,
    )


def _moved(row: AgentRating, shift: float) -> AgentRating:
    def moved(points: float | None) -> float | None:
        return None if points is None else points + shift

    bound = row.bound
    return replace(
        row,
        rating=moved(row.rating),
        lower=moved(row.lower),
        upper=moved(row.upper),
        simultaneous_lower=moved(row.simultaneous_lower),
        simultaneous_upper=moved(row.simultaneous_upper),
        bound=None if bound is None else RatingBound(bound.side, bound.points + shift),
    )
