"""Ratings with their intervals as a picture: one SVG file that stands alone, in light and in dark surroundings."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from html import escape

from ratings.headline import AgentRating

#: Pixels: a row, the text to the left and to the right of the plot, the plot, what is above the rows and below.
ROW, NAMES, STATUS, PLOT, HEAD, FOOT = 24, 250, 150, 560, 64, 56
#: Characters of a name that fit beside the plot.
LONGEST_NAME = 32
#: About so many labelled points on the axis.
TICKS = 6
#: Share of the range that stays free on either side.
MARGIN = 0.04
#: Points on either side of a rating that stands alone.
LEAST_REACH = 50.0
#: Intervals that reach further than so many points beyond every rating are cut off at the edge.
FARTHEST = 1000.0

# Paper and ink in both schemes. Marks have the colour of text, so that they are legible wherever text is.
_STYLE = """
  svg { --paper: #fbfaf7; --ink: #17181a; --soft: #5c5e63; --rule: #d9d6cf; color: var(--ink); }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #131416; --ink: #e9e7e2; --soft: #a3a19c; --rule: #3a3b3f; }
  }
  text { font: 13px system-ui, sans-serif; font-variant-numeric: tabular-nums lining-nums; fill: currentColor; }
  .title { font-size: 17px; font-weight: 600; }
  .soft { fill: var(--soft); }
  .paper { fill: var(--paper); }
  .rule { stroke: var(--rule); stroke-width: 1; }
  .alone { stroke: currentColor; stroke-width: 5; }
  .together { stroke: currentColor; stroke-width: 1.25; }
  .point { fill: var(--paper); stroke: currentColor; stroke-width: 2; }
  .arrow { fill: currentColor; }
"""


def interval_plot(rows: Sequence[AgentRating], *, title: str, gauge: str) -> str:
    """An SVG document.

    A thick line is the 95% interval of an agent alone, the thin one with ends holds for all agents of its group at
    once, an arrow is what is known of an agent without a finite rating. Groups that never met have a heading each.

    Args:
        rows: in the order in which they are drawn; those of a component together.
        title: what was fitted.
        gauge: where the scale is held, in words.
    """
    axis = _Axis(rows)
    groups = list(dict.fromkeys(row.component for row in rows))
    body: list[str] = []
    y = float(HEAD)
    for group in groups:
        if len(groups) > 1:
            name = "Not rated" if group is None else f"Group {group + 1}"
            body.append(f'<text class="soft" x="0" y="{y + 16:g}">{name}</text>')
            y += ROW
        for row in rows:
            if row.component == group:
                body += _row(row, y + ROW / 2, axis)
                y += ROW
    width, height = NAMES + PLOT + STATUS, y + FOOT
    reading = "Thick: 95% of one agent alone. Thin: 95% for all of a group at once. Arrow: at least, or at most."
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 0 {width + 32} {height:g}" width="{width + 32}" '
            f'height="{height:g}" role="img" aria-labelledby="title desc">',
            f'<title id="title">{_text(title)}</title>',
            f'<desc id="desc">{_text(_described(rows))}</desc>',
            f"<style>{_STYLE}</style>",
            f'<rect class="paper" x="-16" y="0" width="{width + 32}" height="{height:g}"/>',
            f'<text class="title" x="0" y="26">{_text(title)}</text>',
            f'<text class="soft" x="0" y="46">{reading}</text>',
            *axis.drawn(y),
            *body,
            f'<text class="soft" x="0" y="{y + 44:g}">{_text(f"Points; {gauge}. Only gaps mean anything.")}</text>',
            "</svg>",
            "",
        ]
    )


class _Axis:
    """Points along the width of the plot."""

    def __init__(self, rows: Sequence[AgentRating]) -> None:
        middles = [middle for row in rows for middle in _middles(row)]
        nearest = min(middles, default=0.0) - FARTHEST, max(middles, default=0.0) + FARTHEST
        known = [min(max(end, nearest[0]), nearest[1]) for row in rows for end in _ends(row)]
        least, most = min(known, default=0.0), max(known, default=0.0)
        reach = max(most - least, LEAST_REACH)
        middle = (least + most) / 2
        self.least = middle - reach * (0.5 + MARGIN)
        self.most = middle + reach * (0.5 + MARGIN)

    def x(self, points: float) -> float:
        """Where points are; at the edge where they are beyond it."""
        return NAMES + PLOT * min(max((points - self.least) / (self.most - self.least), 0.0), 1.0)

    def drawn(self, bottom: float) -> list[str]:
        """Lines from the head to the bottom with their points below."""
        step = _round_step((self.most - self.least) / TICKS)
        lines = []
        for number in range(math.ceil(self.least / step), math.floor(self.most / step) + 1):
            x = f"{self.x(number * step):.1f}"
            lines.append(f'<line class="rule" x1="{x}" y1="{HEAD}" x2="{x}" y2="{bottom:g}"/>')
            lines.append(
                f'<text class="soft" x="{x}" y="{bottom + 18:g}" text-anchor="middle">{number * step:g}</text>'
            )
        return lines


def _row(row: AgentRating, y: float, axis: _Axis) -> list[str]:
    name = _shown(row.agent)
    label = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    drawn = [
        f'<text x="{NAMES - 16}" y="{y + 4.5:g}" text-anchor="end">{_text(label)}<title>{_text(name)}</title></text>',
        f'<text class="soft" x="{NAMES + PLOT + 16}" y="{y + 4.5:g}">{_text(_beside(row))}</text>',
    ]
    if row.bound is not None:
        x, sign = axis.x(row.bound.points), 1 if row.bound.side == "lower" else -1
        end = NAMES + PLOT if sign > 0 else NAMES
        drawn.append(f'<line class="together" x1="{x:.1f}" y1="{y:g}" x2="{end - 6 * sign}" y2="{y:g}"/>')
        drawn.append(f'<path class="arrow" d="M{end} {y:g}l{-9 * sign} -5v10z"/>')
        drawn.append(f'<line class="together" x1="{x:.1f}" y1="{y - 6:g}" x2="{x:.1f}" y2="{y + 6:g}"/>')
    for lower, upper, kind in (
        (row.simultaneous_lower, row.simultaneous_upper, "together"),
        (row.lower, row.upper, "alone"),
    ):
        if lower is not None and upper is not None:
            left, right = axis.x(lower), axis.x(upper)
            drawn.append(f'<line class="{kind}" x1="{left:.1f}" y1="{y:g}" x2="{right:.1f}" y2="{y:g}"/>')
            if kind == "together":
                drawn += [
                    f'<line class="together" x1="{x:.1f}" y1="{y - 4:g}" x2="{x:.1f}" y2="{y + 4:g}"/>'
                    for x in (left, right)
                ]
    if row.rating is not None:
        drawn.append(f'<circle class="point" cx="{axis.x(row.rating):.1f}" cy="{y:g}" r="4"/>')
    return drawn


def _middles(row: AgentRating) -> list[float]:
    numbers = (row.rating, None if row.bound is None else row.bound.points)
    return [number for number in numbers if number is not None]


def _ends(row: AgentRating) -> list[float]:
    numbers = (row.lower, row.upper, row.simultaneous_lower, row.simultaneous_upper)
    return _middles(row) + [number for number in numbers if number is not None]


def _beside(row: AgentRating) -> str:
    if row.rating is None:
        if row.bound is not None:
            return f"at {'least' if row.bound.side == 'lower' else 'most'} {row.bound.points:.0f}"
        return "not rated" if row.reason == "no_data" else "no finite rating"
    return f"{row.rating:.0f}" if row.lower is not None else f"{row.rating:.0f}, no interval"


def _described(rows: Sequence[AgentRating]) -> str:
    """The whole picture in words."""
    said = []
    for row in rows:
        interval = "" if row.lower is None or row.upper is None else f" ({row.lower:.0f} to {row.upper:.0f})"
        said.append(f"{row.agent}: {_beside(row)}{interval}")
    return "; ".join(said) or "Nobody is rated."


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _shown(text: str) -> str:
    """A text without the characters that draw nothing or that XML forbids."""
    return "".join(character if unicodedata.category(character)[0] != "C" else "\ufffd" for character in text)


def _text(text: str) -> str:
    return escape(_shown(text))
