"""The rows of a publication as a table to keep."""

from __future__ import annotations

import csv
import functools
import io

from django.http import Http404

from governance.spreadsheet_cells import text_cell
from ratings.models import Publication
from ratings.standings import StandingRow, document_of, standings_rows
from ratings.variant_views import variant_named

#: Columns of the download, in order; no sample size among them.
CSV_COLUMNS = (
    "agent_key",
    "agent_name",
    "component",
    "rank_best",
    "rank_worst",
    "adjusted_best",
    "adjusted_worst",
    "rank_claimed",
    "rating",
    "lower",
    "upper",
    "sim_lower",
    "sim_upper",
    "anytime_lower",
    "anytime_upper",
    "status",
    "refusal",
    "joined_with",
    "provider_agents",
    "tied_licensees",
)


@functools.lru_cache(maxsize=64)
def standings_table(digest: str, asked: str, roster: str) -> str:
    """The table as it is sent; ``roster`` is the stamp of the names in it.

    Raises:
        Http404: there is no such publication, or it has no such way to fit.
    """
    found = Publication.objects.filter(public_digest=digest).first()
    name = variant_named(document_of(found), asked) if found is not None else None
    if found is None or name is None:
        raise Http404
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(CSV_COLUMNS)
    for row in standings_rows(found, name):
        writer.writerow([_cell(row, column) for column in CSV_COLUMNS])
    return table.getvalue()


def table_of(columns: tuple[str, ...], rows: list[dict[str, object]]) -> str:
    """Rows as a table; texts that a spreadsheet would run are marked as texts."""
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_text(row[column]) for column in columns])
    return table.getvalue()


def _cell(row: StandingRow, column: str) -> str:
    return _text(getattr(row, column))


def _text(value: object) -> str:
    if value is None:
        return ""
    return text_cell(value) if isinstance(value, str) else str(value)
