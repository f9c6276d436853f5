"""Which votes rate nobody, board by board and with the reason, as it leaves in a snapshot."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
from django.db import connection

import judging.exports  # noqa: F401  # its universes come first
from governance.exports import (
    Column,
    ColumnKind,
    ExportFact,
    ExportTable,
    register_fact,
    register_preparation,
    register_table,
)
from ratings.corpus import label_ids, read_corpus
from ratings.eligibility import REASON_WORDS, Reason
from ratings.models import Board, latest_publication


def prepare_exclusions(at: datetime) -> None:
    """Fill ``snapshot_exclusion`` with the labels of both boards that do not rate."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS pg_temp.snapshot_exclusion")
        cursor.execute(
            "CREATE TEMPORARY TABLE snapshot_exclusion (vote uuid, board varchar, reason varchar) ON COMMIT DROP"
        )
        for board in Board:
            reasons = read_corpus(board, at=at).reason
            names = label_ids(board, at)
            excluded = np.flatnonzero(reasons != Reason.RATED)
            cursor.execute(
                """INSERT INTO snapshot_exclusion
                SELECT vote, %s, reason FROM unnest(%s::uuid[], %s::text[]) AS found(vote, reason)""",
                [
                    board.value,
                    [names[row] for row in excluded],
                    [Reason(int(reasons[row])).name.lower() for row in excluded],
                ],
            )


register_preparation("exclusions", prepare_exclusions)
register_table(
    ExportTable(
        "exclusions",
        "A vote that rates nobody on a board, and why. A vote that is not here for a board rates there.",
        (
            Column("vote", ColumnKind.ID, "excluded.vote", "The vote."),
            Column("board", ColumnKind.CODE, "excluded.board", "The board."),
            Column("reason", ColumnKind.CODE, "excluded.reason", "The first rule that applies."),
        ),
        "FROM snapshot_exclusion excluded JOIN snapshot_vote chosen ON chosen.id = excluded.vote",
        "excluded.vote, excluded.board",
    )
)


def exclusion_reasons(at: datetime) -> dict[str, str]:
    """What the reasons of the exclusions mean."""
    return {reason.name.lower(): words for reason, words in REASON_WORDS.items()}


def publications(at: datetime) -> dict[str, Any]:
    """Digests of the ratings in force, by board: what can be compared with numbers made from the snapshot."""
    found = {board.value: latest_publication(board) for board in Board}
    return {
        board: {"digest": published.digest, "public_digest": published.public_digest}
        for board, published in found.items()
        if published is not None
    }


register_fact(ExportFact("exclusion_reasons", exclusion_reasons))
register_fact(ExportFact("ratings_publications", publications))
