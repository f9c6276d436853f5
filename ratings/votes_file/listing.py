"""Ratings for the eye and for spreadsheets."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from typing import Any

from governance.spreadsheet_cells import text_cell
from ratings.headline import AgentRating
from ratings.votes_file.document import (
    MODELS,
    correction_in_words,
    covariance_in_words,
    fit_document,
    gauge_in_words,
    in_order,
    votes_in_words,
)
from ratings.votes_file.fitting import VoteFit
from ratings.votes_file.names import UNSEEN
from ratings.votes_file.rejections import REASONS, Rejection

#: Why a number is missing, in words.
MISSING = {
    "no_data": "no vote that counts",
    "unbounded": "never lost, or never won, against the rest: no finite rating",
    "no_variation": "nothing varies that the model needs",
    "not_converged": "the fit did not converge",
    "not_connected": "never met, not even through others",
    "not_identified": "no interval: too few judges",
    "degenerate_interval": "no interval: all scores alike",
}
#: Points that an interval is written out to; a wider one says nothing.
WIDEST = 10_000
#: Columns of the table: heading, and whether they are numbers.
_HEADINGS = {
    "ranks": True,
    "agent": False,
    "rating": True,
    "95% interval": True,
    "all at once": True,
    "status": False,
}
#: Columns of the CSV file.
_COLUMNS = (
    "agent",
    "component",
    "rating",
    "se",
    "lower",
    "upper",
    "sim_lower",
    "sim_upper",
    "rank_best",
    "rank_worst",
    "place",
    "status",
    "bound_side",
    "bound_points",
    "battles",
)


def fit_listing(fit: VoteFit) -> str:
    """The whole fit as lines of text."""
    core = fit.main
    lines = [
        f"{votes_in_words(fit.votes)}; {MODELS[fit.options.ties]}{', style held equal' if fit.votes.measures else ''}.",
        f"Errors: {covariance_in_words(fit)}; "
        f"correction: {correction_in_words(None if core is None else core.covariance, fit.clustered_on)}.",
        f"Scale: {gauge_in_words(fit, fit.anchored is not None)}; only gaps mean anything.",
    ]
    for number in range(len(fit.headline.components)):
        title = f"Group {number + 1} of {len(fit.headline.components)}" if len(fit.headline.components) > 1 else ""
        lines += ["", *([title] if title else []), *_table([row for row in fit.rows if row.component == number])]
    alone = [row.agent for row in fit.rows if row.component is None]
    if alone:
        lines += ["", f"Not rated, since no vote of theirs counts: {', '.join(alone)}."]
    document = fit_document(fit)
    lines += ["", *_position_lines(document["position"]), *_tie_lines(document["ties"])]
    lines += _style_lines(document["style"])
    for category in fit.categories:
        few = "; too few to resolve 3 points of 100" if category.underpowered and not category.refused else ""
        lines += ["", f"Category {category.name}: {category.votes:,} votes{few}"]
        lines += [f"  not fitted: {category.refused}."] if category.refused else _table(category.rows)
    if fit.probes:
        lines += ["", "What the order is worth", *_probe_lines(document["probes"])]
    return "\n".join(map(visible, lines))


def rejection_lines(rejected: Sequence[Rejection], files: int) -> list[str]:
    """One line for every rejected row."""
    lines = []
    for row in rejected:
        where = f"{row.file}, line {row.line}" if files > 1 else f"line {row.line}"
        column = f", {visible(row.column)}" if row.column is not None else ""
        value = f" {visible(repr(row.value))}" if row.value is not None else ""
        lines.append(f"{where}{column}:{value} {row.reason}: {REASONS[row.reason]}")
    return lines


def fit_csv(fit: VoteFit) -> str:
    """The ratings as CSV, with the numbers of the JSON document; a name that looks like a formula is marked as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in fit_document(fit)["ratings"]:
        bound = row["bound"] or {"side": None, "points": None}
        flat = {**row, "bound_side": bound["side"], "bound_points": bound["points"]}
        flat["agent"] = text_cell(row["agent"])
        writer.writerow(["" if flat[name] is None else flat[name] for name in _COLUMNS])
    return text.getvalue()


def visible(text: str) -> str:
    """A text that leaves a terminal alone: controls, ends of lines and invisible characters by their code point."""
    return "".join(
        f"\\u{ord(character):04x}" if unicodedata.category(character) in UNSEEN else character for character in text
    )


def _table(rows: Sequence[AgentRating]) -> list[str]:
    cells = [list(_HEADINGS)]
    for row in in_order(rows):
        cells.append(
            [
                _ranks(row),
                visible(row.agent),
                "-" if row.rating is None else f"{row.rating:.1f}",
                _interval(row.lower, row.upper),
                _interval(row.simultaneous_lower, row.simultaneous_upper),
                _status(row),
            ]
        )
    widths = [max(_width(line[column]) for line in cells) for column in range(len(_HEADINGS))]
    return ["  ".join(map(_padded, line, widths, _HEADINGS.values())).rstrip() for line in cells]


def _ranks(row: AgentRating) -> str:
    if row.rank_best is None:
        return "-"
    return str(row.rank_best) if row.rank_best == row.rank_worst else f"{row.rank_best}-{row.rank_worst}"


def _interval(lower: float | None, upper: float | None) -> str:
    if lower is None or upper is None:
        return "-"
    return f"{lower:.1f} to {upper:.1f}" if upper - lower < WIDEST else f"over {WIDEST:,} wide"


def _status(row: AgentRating) -> str:
    if row.reason is None:
        return "anchor" if row.se == 0 else str(row.status)
    if row.bound is not None:
        never, side = ("lost", "at least") if row.bound.side == "lower" else ("won", "at most")
        return f"never {never} to the rest: {side} {row.bound.points:.1f} (95%)"
    return MISSING.get(row.reason, row.reason)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _width(text: str) -> int:
    """Columns a text takes on a terminal: two for wide characters, none for marks."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - marks


def _position_lines(position: dict[str, Any]) -> list[str]:
    if position["a_win_share"] is None:
        return ["Side: no vote prefers one."]
    share = (
        f"Side: A was preferred in {position['a_win_share']:.1%} ({position['lower']:.1%} to {position['upper']:.1%})"
    )
    if position["log_odds"] is None:
        return [f"{share}; its advantage cannot be estimated ({position['reason']})."]
    reach = "no interval"
    if position["log_odds_lower"] is not None:
        reach = f"{position['log_odds_lower']:+.3f} to {position['log_odds_upper']:+.3f}"
    return [f"{share}; advantage {position['log_odds']:+.3f} log-odds ({reach})."]


def _tie_lines(ties: dict[str, Any]) -> list[str]:
    nu = "" if ties["nu"] is None else f"; Davidson's nu {ties['nu']:.4f}"
    threshold = "" if ties["threshold"] is None else f"; threshold {ties['threshold']:.4f} log-odds"
    return [f"Ties: {ties['share']:.1%} of the votes, {ties['both_bad']:,} of them both bad{nu}{threshold}."]


def _style_lines(style: dict[str, Any] | None) -> list[str]:
    if style is None:
        return []
    lines = ["Style, in log-odds for a difference of ordinary size:"]
    for row in style["coefficients"]:
        reach = "no interval" if row["lower"] is None else f"{row['lower']:+.3f} to {row['upper']:+.3f}"
        lines.append(f"  {row['name']} {row['value']:+.3f} ({reach})")
    return [*lines, f"  {style['caution']}"]


def _probe_lines(probes: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for probe in probes:
        if probe["fired"] is None:
            said = f"cannot answer: {probe['reason']}"
        else:
            ends = "" if probe["lower"] is None else f" ({probe['lower']:.4g} to {_end(probe['upper'])})"
            value = "-" if probe["value"] is None else f"{probe['value']:.4g}"
            said = f"{value}{ends}, threshold {probe['threshold']:.4g}: {probe['unit']}"
        mark = {True: "WARNS", False: "clear", None: "-"}[probe["fired"]]
        lines.append(f"  {mark:<6}{probe['title']}: {said}")
        if probe["fired"]:
            lines.append(f"        {probe['meaning']}")
    return lines


def _end(value: float | None) -> str:
    return "no end" if value is None else f"{value:.4g}"
