"""The rated corpus as columns, read in one statement without building a single model instance."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from ratings.eligibility import Reason, label_weights, outrank_submitters
from ratings.models import Board

#: Outcome codes of a label, seen from slot A.
A_WINS, TIE, B_WINS, BOTH_BAD = 2, 1, 0, 3

#: Columns of one packed label, each a 4-byte signed integer in network order.
PACKED = ("battle", "judge", "agent_a", "agent_b", "outcome", "reason", "by_submitter")

# Every column is COALESCEd: a NULL would be skipped by the concatenation and shift all that follow. Whose turn it
# is among the reasons is decided by the order of the CASE; outranking needs all labels and happens on the columns.
# Nothing about a judge is accumulated: the state in force, the account and what is held are read at every fit. A judge
# without an account rates on the demo board only.
_LABELS = """
WITH roster AS (
    SELECT key, kind, operator_affiliated, row_number() OVER (ORDER BY key) - 1 AS number FROM battles_agent
),
lane_facts AS (
    SELECT attempt.battle_id,
           bool_or(lane.ended IN ('provider_error', 'browser_error', 'lost')
                   OR NOT EXISTS (SELECT 1 FROM battles_step step WHERE step.lane_id = lane.id AND step.number > 0)
           ) AS never_ran,
           count(DISTINCT (lane.budget_steps, lane.budget_seconds)) > 1 AS unequal
    FROM battles_lane lane JOIN battles_attempt attempt ON attempt.id = lane.attempt_id
    WHERE attempt.outcome = 'finished'
    GROUP BY attempt.battle_id
),
trust AS (
    SELECT DISTINCT ON (judge_id) judge_id, state FROM judging_trustchange ORDER BY judge_id, id DESC
),
held AS (
    SELECT DISTINCT vote_id FROM judging_heldlabel WHERE decision <> 'released'
),
labels AS (
    SELECT vote.id,
           dense_rank() OVER (ORDER BY vote.battle_id) - 1 AS battle,
           dense_rank() OVER (ORDER BY vote.judge_id) - 1 AS judge,
           one.number AS agent_a,
           other.number AS agent_b,
           CASE WHEN vote.choice = 'tie' THEN 1
                WHEN vote.choice = 'both_bad' THEN 3
                WHEN winner.slot = 'A' THEN 2
                ELSE 0 END AS outcome,
           CASE WHEN battle.kind NOT IN ('live', 'practice') THEN 1
                WHEN %(headline)s AND battle.kind <> 'live' THEN 1
                WHEN vote.withdrawn_at IS NOT NULL OR task.withdrawn_at IS NOT NULL THEN 2
                WHEN one.operator_affiliated OR other.operator_affiliated THEN 3
                WHEN %(headline)s AND (one.kind = 'baseline' OR other.kind = 'baseline') THEN 3
                WHEN battle.state = 'void' OR coalesce(facts.never_ran, TRUE) THEN 4
                WHEN coalesce(facts.unequal, TRUE) THEN 5
                WHEN battle.leak_scan <> 'clean' THEN 6
                WHEN held.vote_id IS NOT NULL OR trust.state IN ('untrusted', 'suspended') THEN 7
                WHEN %(headline)s AND account.judge_id IS NULL THEN 7
                ELSE 0 END AS reason,
           vote.by_submitter::int AS by_submitter
    FROM judging_vote vote
    JOIN battles_battle battle ON battle.id = vote.battle_id
    JOIN battles_task task ON task.id = battle.task_id
    JOIN roster one ON one.key = battle.agent_a_id
    JOIN roster other ON other.key = battle.agent_b_id
    LEFT JOIN battles_lane winner ON winner.id = vote.winner_id
    LEFT JOIN lane_facts facts ON facts.battle_id = battle.id
    LEFT JOIN trust ON trust.judge_id = vote.judge_id
    LEFT JOIN held ON held.vote_id = vote.id
    LEFT JOIN judging_judgeaccount account ON account.judge_id = vote.judge_id
    WHERE vote.locked_at IS NOT NULL
)
SELECT (SELECT coalesce(string_agg(
            int4send(coalesce(battle, -1)::int) || int4send(coalesce(judge, -1)::int)
            || int4send(coalesce(agent_a, -1)::int) || int4send(coalesce(agent_b, -1)::int)
            || int4send(coalesce(outcome, -1)) || int4send(coalesce(reason, -1))
            || int4send(coalesce(by_submitter, -1)), ''::bytea ORDER BY id), ''::bytea) FROM labels),
       (SELECT coalesce(array_agg(key ORDER BY number), ARRAY[]::text[]) FROM roster)
"""


@dataclass(frozen=True, slots=True)
class Corpus:
    """All locked votes of a board, one row a label. Arrays are (n,); agents are indices into ``agents``.

    ``outcome`` is one of :data:`A_WINS`, :data:`TIE`, :data:`B_WINS`, :data:`BOTH_BAD`.
    """

    agents: tuple[str, ...]
    battle: NDArray[np.int64]
    judge: NDArray[np.int64]
    agent_a: NDArray[np.int64]
    agent_b: NDArray[np.int64]
    outcome: NDArray[np.int64]
    by_submitter: NDArray[np.bool_]
    reason: NDArray[np.int64]
    weight: NDArray[np.float64]
    digest: str

    @property
    def rated(self) -> NDArray[np.bool_]:
        return np.asarray(self.reason == Reason.RATED)


class CorpusUnreadable(Exception):
    """A packed label is out of range: the statement and this module disagree."""


def read_corpus(board: Board) -> Corpus:
    """Read a board's labels with their exclusion reasons.

    Raises:
        CorpusUnreadable: a value that no label can have.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LABELS, {"headline": board == Board.HEADLINE})
        row = cursor.fetchone()
    packed, agents = bytes(row[0]), tuple(row[1])
    columns = np.frombuffer(packed, dtype=">i4").reshape(-1, len(PACKED)).astype(np.int64)
    if columns.size and int(columns.min()) < 0:
        raise CorpusUnreadable
    battle, judge, agent_a, agent_b, outcome, reason, submitter = columns.T
    reasons = outrank_submitters(reason, battle, submitter == 1)
    return Corpus(
        agents=agents,
        battle=battle,
        judge=judge,
        agent_a=agent_a,
        agent_b=agent_b,
        outcome=outcome,
        by_submitter=submitter == 1,
        reason=reasons,
        weight=label_weights(reasons, battle),
        digest=corpus_digest(packed, agents),
    )


def corpus_digest(packed: bytes, agents: tuple[str, ...]) -> str:
    """SHA-256 over the roster's keys and the packed labels: equal exactly when the fit's input is."""
    digest = hashlib.sha256()
    for key in agents:
        digest.update(key.encode() + b"\0")
    digest.update(packed)
    return digest.hexdigest()
