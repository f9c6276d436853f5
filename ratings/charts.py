"""Charts as declarative specifications (Vega-Lite 5), and their pictures.

A specification holds what is public of a publication and nothing else. Pictures are rendered here, without a network
and without a script in the page, in two widths and two schemes; a publication never changes, so neither do they.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import vl_convert

from ratings.canonical import canonical

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
#: Of the plot, in CSS pixels: a phone of 360 less its margins, and a column on a desk.
WIDTHS = {"narrow": 250, "wide": 860}
FONT = "system-ui, -apple-system, Segoe UI, Roboto, Liberation Sans, sans-serif"
#: Height of an agent's row.
ROW_HEIGHT = 26
HISTORY_HEIGHT = 220
#: About so many dates fit under it.
TIME_TICKS = 5
#: Length of the newest step, of the whole.
LAST_STEP = 0.04


@dataclass(frozen=True, slots=True)
class Scheme:
    """Colours of a chart: those of the page it stands on."""

    paper: str
    ink: str
    quiet: str
    rule: str
    edge: str
    band: str


SCHEMES = {
    "light": Scheme("#fbfaf7", "#17181a", "#5a5953", "#dcd8cf", "#85827a", "#e5e1d7"),
    "dark": Scheme("#131416", "#e9e7e2", "#a8a69f", "#33363a", "#7b7e84", "#2b2e33"),
}

Spec = dict[str, Any]


def ratings_chart(rows: Sequence[Mapping[str, Any]], title: str) -> Spec:
    """Ratings on one axis, with their intervals alone and for all at once.

    Args:
        rows: agents by name with ``rating``, ``lower``, ``upper``, ``sim_lower`` and ``sim_upper``, best first.
        title: what is shown, in words.
    """
    y = {"field": "agent", "type": "nominal", "sort": [row["agent"] for row in rows], "axis": _names()}
    points = {"field": "rating", "type": "quantitative", "scale": {"zero": False}, "axis": {"title": "points"}}
    return {
        "$schema": SCHEMA,
        "description": title,
        "data": {"values": [dict(row) for row in rows]},
        "height": {"step": ROW_HEIGHT},
        "layer": [
            _rule(y, "sim_lower", "sim_upper", "thin"),
            _rule(y, "lower", "upper", "thick"),
            {"mark": {"type": "point", "style": "estimate"}, "encoding": {"y": y, "x": points}},
        ],
    }


def gaps_chart(rows: Sequence[Mapping[str, Any]], title: str) -> Spec:
    """How far one agent is above each opponent: a forest plot with the line at zero.

    Args:
        rows: opponents by name with ``gap``, ``lower`` and ``upper``.
        title: what is shown, in words.
    """
    y = {"field": "agent", "type": "nominal", "sort": [row["agent"] for row in rows], "axis": _names()}
    points = {"field": "gap", "type": "quantitative", "axis": {"title": "points above"}}
    return {
        "$schema": SCHEMA,
        "description": title,
        "data": {"values": [dict(row) for row in rows]},
        "height": {"step": ROW_HEIGHT},
        "layer": [
            {"mark": {"type": "rule", "style": "zero"}, "encoding": {"x": {"datum": 0, "type": "quantitative"}}},
            _rule(y, "lower", "upper", "thick"),
            {"mark": {"type": "point", "style": "estimate"}, "encoding": {"y": y, "x": points}},
        ],
    }


def history_chart(rows: Sequence[Mapping[str, Any]], title: str, unit: str) -> Spec:
    """A step line with a band over the publications; broken where there was no number.

    Args:
        rows: publications with ``at`` (ISO time), ``value``, ``lower`` and ``upper``, oldest first.
        title: what is shown, in words.
        unit: of the value.
    """
    form = "%-d %b %Y" if _days(rows) >= 1 else "%H:%M"
    axis = {"title": None, "grid": False, "labelOverlap": True, "tickCount": TIME_TICKS, "format": form}
    x = {"field": "at", "type": "temporal", "scale": {"type": "utc"}, "axis": axis}
    value = {
        "field": "value",
        "type": "quantitative",
        "scale": {"zero": False, "domain": _seen(rows), "nice": False},
        "axis": {"title": unit},
    }
    step = {"interpolate": "step-after"}
    return {
        "$schema": SCHEMA,
        "description": title,
        "data": {"values": [*(dict(row) for row in rows), _held(rows)]},
        "height": HISTORY_HEIGHT,
        "layer": [
            {
                "mark": {"type": "area", "style": "band", "clip": True, **step},
                "encoding": {"x": x, "y": {**value, "field": "lower"}, "y2": {"field": "upper"}},
            },
            {"mark": {"type": "line", "style": "step", "clip": True, **step}, "encoding": {"x": x, "y": value}},
            {
                "transform": [{"filter": "isValid(datum.value) && !datum.held"}],
                "mark": {"type": "point", "style": "publication", "clip": True},
                "encoding": {"x": x, "y": value},
            },
        ],
    }


def _days(rows: Sequence[Mapping[str, Any]]) -> float:
    first, last = (datetime.fromisoformat(row["at"]) for row in (rows[0], rows[-1]))
    return (last - first) / timedelta(days=1)


def _held(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The newest publication holds on: its step is drawn a little further, or it would have no length."""
    onward = max(timedelta(hours=1), timedelta(days=_days(rows) * LAST_STEP))
    return {**rows[-1], "at": (datetime.fromisoformat(rows[-1]["at"]) + onward).isoformat(), "held": True}


def win_shares_chart(cells: Sequence[Mapping[str, Any]], agents: Sequence[str], title: str) -> Spec:
    """How often the agent of the row was preferred to the agent of the column.

    Args:
        cells: ``row``, ``column`` and ``share`` in percent.
        agents: names, best first.
        title: what is shown, in words.
    """
    x = {"field": "column", "type": "nominal", "sort": list(agents), "axis": {**_names(), "labelAngle": -40}}
    y = {"field": "row", "type": "nominal", "sort": list(agents), "axis": _names()}
    colour = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [0, 100], "scheme": "greys"},
        "legend": None,
    }
    dark_cell = {"test": "datum.share > 55", "value": "#ffffff"}
    return {
        "$schema": SCHEMA,
        "description": title,
        "data": {"values": [dict(cell) for cell in cells]},
        "height": {"step": ROW_HEIGHT},
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": {"type": "rect"}, "encoding": {"color": colour}},
            {
                "mark": {"type": "text"},
                "encoding": {
                    "text": {"field": "share", "type": "quantitative", "format": ".0f"},
                    "color": {"condition": dark_cell, "value": "#17181a"},
                },
            },
        ],
    }


def dressed(spec: Spec, *, width: str, scheme: str) -> Spec:
    """A specification with a width and the colours of a scheme: what a picture is made from."""
    return {**spec, "width": WIDTHS[width], "config": _config(SCHEMES[scheme]), "background": None, "padding": 4}


def picture(spec: Spec, *, width: str, scheme: str) -> str:
    """The chart as SVG: no script, no network, no font of its own."""
    return _rendered(canonical(dressed(spec, width=width, scheme=scheme)))


@functools.lru_cache(maxsize=256)
def _rendered(text: str) -> str:
    svg: str = vl_convert.vegalite_to_svg(text, allowed_base_urls=[], show_warnings=False)
    return svg


def _rule(y: Spec, lower: str, upper: str, style: str) -> Spec:
    return {
        "transform": [{"filter": f"isValid(datum.{lower}) && isValid(datum.{upper})"}],
        "mark": {"type": "rule", "style": style},
        "encoding": {
            "y": y,
            "x": {"field": lower, "type": "quantitative", "scale": {"zero": False}},
            "x2": {"field": upper},
        },
    }


def _names() -> Spec:
    return {"title": None, "ticks": False, "domain": False, "grid": False, "labelLimit": 140, "labelPadding": 8}


def _seen(rows: Sequence[Mapping[str, Any]]) -> list[float] | None:
    """Every value and the newest band are in the picture; wider bands of the past are cut."""
    values = [row["value"] for row in rows if row["value"] is not None]
    if not values:
        return None
    newest = rows[-1]
    values += [end for end in (newest["lower"], newest["upper"]) if end is not None]
    room = max(25.0, 0.1 * (max(values) - min(values)))
    return [round(min(values) - room, 2), round(max(values) + room, 2)]


def _config(scheme: Scheme) -> Spec:
    return {
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": scheme.quiet,
            "titleColor": scheme.quiet,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": scheme.rule,
            "domainColor": scheme.ink,
            "tickColor": scheme.rule,
        },
        "mark": {"color": scheme.ink},
        "style": {
            "thin": {"color": scheme.edge, "strokeWidth": 1.5},
            "thick": {"color": scheme.quiet, "strokeWidth": 5},
            "zero": {"color": scheme.edge, "strokeDash": [3, 3]},
            "estimate": {"color": scheme.ink, "filled": True, "size": 90, "opacity": 1},
            "band": {"color": scheme.band, "opacity": 1},
            "step": {"color": scheme.ink, "strokeWidth": 2},
            "publication": {"color": scheme.ink, "filled": True, "size": 18, "opacity": 1},
        },
    }
