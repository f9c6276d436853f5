"""Where the marks of the figures lie, in percent of their width and height; the scripts use the same scales."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratings.estimators.arrays import Floats
from ratings.methods.figures import TRUE_RATINGS, Cycle, EloReplay, Overlap
from ratings.methods.plan import POINTS, curve

#: A hundredth of a percent is far below a pixel.
DIGITS = 2
#: Numbers of points at which the curve of the planner is known.
CURVE_STEPS = 60
#: Strokes of the triangle: this wide for no battles, and so much wider for all.
THINNEST, WIDENING = 1.5, 16.0
#: Room around what is drawn, as a share of it.
MARGIN = 0.22
#: Heights, in pixels, of the bands of the drawings.
ELO_BAND, CYCLE_BAND, INTERVAL_BAND = 72, 48, 72
#: Dots lie in rows that only keep them apart: the lowest, how far they are apart, how many, how a dot picks its.
LOWEST_DOT, DOT_STEP, DOT_ROWS, DOT_STRIDE = 108, 10, 10, 7
#: Variants that can be asked for.
MOST_DOTS = 100


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from ``low`` to ``high``; what lies outside is put at the end.

    Attributes:
        ticks: numbers that are written at it.
        logarithmic: equal ratios are equally long.
    """

    low: float
    high: float
    ticks: tuple[float, ...] = ()
    logarithmic: bool = False

    def percent(self, value: float) -> float:
        """Where a value lies, from 0 to 100."""
        if self.logarithmic:
            place = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, place)), DIGITS)

    @property
    def marks(self) -> list[dict[str, float | str]]:
        """Ticks with where they lie from the low end and from the high one, and their words."""
        return [
            {"at": self.percent(tick), "from_high": round(100 - self.percent(tick), DIGITS), "words": f"{tick:,.0f}"}
            for tick in self.ticks
        ]


ELO_SCALE = Scale(780, 1220, (800, 900, 1000, 1100, 1200))
ERRORS_SCALE = Scale(-3.6, 3.6, (-3, -2, -1, 0, 1, 2, 3))
CYCLE_SCALE = Scale(780, 1220, (800, 900, 1000, 1100, 1200))
POINTS_SCALE = Scale(POINTS.lowest, POINTS.highest, (1, 10, 100), logarithmic=True)
VOTES_SCALE = Scale(1, 1e7, (10, 1_000, 100_000), logarithmic=True)


def elo_bands(replay: EloReplay) -> list[dict[str, Any]]:
    """One band a model: dots of the orders, the interval of the fit, the truth."""
    return [
        {
            "model": model,
            "top": ELO_BAND * model,
            "dots": [ELO_SCALE.percent(float(value)) for value in replay.finals[:, model]],
            "lower": ELO_SCALE.percent(float(replay.lower[model])),
            "upper": ELO_SCALE.percent(float(replay.upper[model])),
            "fit": ELO_SCALE.percent(float(replay.fit[model])),
            "truth": ELO_SCALE.percent(truth),
        }
        for model, truth in enumerate(TRUE_RATINGS)
    ]


def curve_points() -> list[float]:
    """Numbers of points at which the curve is drawn, evenly on its scale."""
    ratio = POINTS.highest / POINTS.lowest
    return [POINTS.lowest * ratio ** (step / CURVE_STEPS) for step in range(CURVE_STEPS + 1)]


def plan_curve(goal: str, ties_percent: float) -> str:
    """The votes for every number of points, as the corners of a line."""
    points = curve_points()
    corners = (plan_spot(at, votes) for at, votes in zip(points, curve(goal, ties_percent, points), strict=True))
    return " ".join(f"{x},{y}" for x, y in corners)


def plan_spot(points: float, votes: int) -> tuple[float, float]:
    """Where an answer of the planner lies, from the left and from the top."""
    return POINTS_SCALE.percent(points), round(100 - VOTES_SCALE.percent(max(1, votes)), DIGITS)


def best_dots(in_errors: Floats) -> list[dict[str, Any]]:
    """A dot for every variant that can be asked for; those that were not are not drawn."""
    places = [ERRORS_SCALE.percent(float(value)) for value in in_errors]
    return [
        {
            "at": places[dot] if dot < len(places) else 0,
            "height": LOWEST_DOT - DOT_STEP * (dot * DOT_STRIDE % DOT_ROWS),
            "drawn": dot < len(places),
        }
        for dot in range(MOST_DOTS)
    ]


def cycle_lines(shares: Sequence[float]) -> list[float]:
    """Widths of the three lines of the triangle, in pixels."""
    return [round(THINNEST + WIDENING * share, DIGITS) for share in shares]


def cycle_marks(found: Cycle) -> list[dict[str, Any]]:
    """One band an agent: as fitted, and with the schedule undone."""
    return [
        {
            "name": name,
            "key": name.lower(),
            "top": CYCLE_BAND * place,
            "fitted": CYCLE_SCALE.percent(float(found.fitted[place])),
            "adjusted": CYCLE_SCALE.percent(float(found.adjusted[place])),
        }
        for place, name in enumerate("ABC")
    ]


def interval_bands(asked: Mapping[str, Any], found: Overlap) -> list[dict[str, Any]]:
    """The two intervals on a scale around both, and the gap on a scale around zero."""
    ends = [asked[name] for name in ("one_lower", "one_upper", "other_lower", "other_upper")]
    room = MARGIN * (max(ends) - min(ends))
    ratings = Scale(min(ends) - room, max(ends) + room)
    farthest = max(abs(found.lower), abs(found.upper)) * (1 + 2 * MARGIN)
    bands = [
        (side, name, ratings, (asked[f"{side}_lower"], asked[side], asked[f"{side}_upper"]))
        for side, name in (("one", "First agent"), ("other", "Second agent"))
    ]
    bands.append(("gap", "Gap", Scale(-farthest, farthest), (found.lower, found.gap, found.upper)))
    return [
        {
            "key": key,
            "name": name,
            "top": INTERVAL_BAND * place,
            "lower": scale.percent(values[0]),
            "point": scale.percent(values[1]),
            "upper": scale.percent(values[2]),
            "texts": [_plain(value) for value in values],
        }
        for place, (key, name, scale, values) in enumerate(bands)
    ]


def _plain(value: float) -> str:
    """With one digit after the point where it needs one."""
    text = f"{value:z.1f}"
    return text.removesuffix(".0")
