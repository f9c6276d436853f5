"""The labels of a board with what measures count of each, in a table that lasts as long as the transaction.

Which labels there are, and why one does not rate, is the ratings' own statement, so that both speak of the same ones.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection

from battles.lane_facts import DEFINITION
from metrics.counted_lanes import FactsMissing
from metrics.population import row_of
from ratings.corpus import labels_statement
from ratings.eligibility import Reason
from ratings.models import Board
from ratings.rated_corpus import A_WINS, B_WINS, BOTH_BAD, TIE

RATED = f"reason = {Reason.RATED:d}"
#: Labels for that reason were not cast on the board.
CAST = f"reason <> {Reason.NOT_LIVE:d}"
#: A label's outcome, seen from slot A.
A_WON, B_WON, TIED, BAD = (f"outcome = {code}" for code in (A_WINS, B_WINS, TIE, BOTH_BAD))

#: One row a label: whose it is (``own``: the submitter's), on what battle of whom, what it says, why it does not rate,
#: and what was measured of it. ``offered`` is how many steps there were to open.
_COUNTED_VOTES = """
    CREATE TEMPORARY TABLE counted_votes ON COMMIT DROP AS
    SELECT vote.id, vote.battle_id AS battle, vote.judge_id AS judge, vote.by_submitter AS own,
           {row_a} AS agent_a, {row_b} AS agent_b, label.outcome,
           CASE WHEN label.reason = {rated} AND vote.by_submitter
                     AND bool_or(label.reason = {rated} AND NOT vote.by_submitter) OVER (PARTITION BY vote.battle_id)
                THEN {outranked} ELSE label.reason END AS reason,
           vote.focus_ms, vote.steps_opened AS opened, cardinality(vote.reasons) > 0 OR vote.note <> '' AS reasoned,
           coalesce(offer.steps, 0) AS offered, coalesce(offer.missing, FALSE) AS missing
    FROM ({labels}) label
    JOIN judging_vote vote ON vote.id = label.id
    JOIN battles_battle battle ON battle.id = vote.battle_id
    LEFT JOIN (
        SELECT attempt.battle_id, sum(facts.steps) AS steps, bool_or(facts.lane_id IS NULL) AS missing
        FROM battles_attempt attempt JOIN battles_lane lane ON lane.attempt_id = attempt.id
        LEFT JOIN battles_lanefacts facts ON facts.lane_id = lane.id AND facts.definition = %(definition)s
        WHERE attempt.outcome = 'finished'
        GROUP BY attempt.battle_id
    ) offer ON offer.battle_id = vote.battle_id
"""


def make_counted_votes(board: Board, at: datetime) -> None:
    """Fill the table with a board's labels as of an instant; it lasts until the transaction ends.

    Raises:
        FactsMissing: the steps of a lane have not been counted.
    """
    with connection.cursor() as cursor:
        labels, values = labels_statement(cursor, board, at)
        cursor.execute("DROP TABLE IF EXISTS pg_temp.counted_votes")
        cursor.execute(
            _COUNTED_VOTES.format(
                labels=labels,
                rated=int(Reason.RATED),
                outranked=int(Reason.OUTRANKED),
                row_a=row_of("battle.agent_a_id"),
                row_b=row_of("battle.agent_b_id"),
            ),
            {**values, "definition": DEFINITION},
        )
        cursor.execute("SELECT EXISTS (SELECT FROM counted_votes WHERE missing)")
        if cursor.fetchone()[0]:
            raise FactsMissing
        cursor.execute("ANALYZE counted_votes (id, battle, judge, reason)")
