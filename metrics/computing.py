"""The catalogue computed over one board, from one snapshot of the database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from battles.lane_facts import complete_lane_facts
from metrics.catalog import CATALOG
from metrics.computation import Readings
from metrics.counted_lanes import needs_facts
from metrics.measure import Measure
from metrics.source import WORK_MEM, Source, needs_of
from ratings.models import Board
from ratings.refit import write_no_corpus


def compute(board: Board, measures: Sequence[Measure] = CATALOG, *, at: datetime | None = None) -> dict[str, Readings]:
    """Readings of these measures by key; each table is read once for all of them.

    Lanes that nobody has counted yet are counted first. Everything is read from one snapshot, unless the caller's own
    transaction had begun to read before.

    Raises:
        FactsMissing: a lane changed since it was counted.
    """
    needs = needs_of(measure.computation for measure in measures)
    if needs.votes or needs_facts(needs.lane_columns):
        complete_lane_facts()
    begun = connection.in_atomic_block
    with transaction.atomic():
        with connection.cursor() as cursor:
            if not begun:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                # It makes tables of its own only, which takes long.
                write_no_corpus()
            cursor.execute(f"SET LOCAL work_mem = '{WORK_MEM}'")
        source = Source(board, at or timezone.now(), needs)
        return {measure.key: measure.computation.run(source) for measure in measures}
