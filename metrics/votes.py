"""The votes of a board as columns: the rated corpus, and beside each label what the fit has no use for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from judging.models.votes import REVISABLE_FOR
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.models import Board
from ratings.rated_corpus import A_WINS, B_WINS, BOTH_BAD, TIE, Corpus

#: A label's identifier, focused milliseconds, opened steps, whether a reason was given, and steps on offer; -1 where
#: nobody measured.
_LOOK = np.dtype([("id", "V16"), ("focus_ms", ">i4"), ("opened", ">i4"), ("reason", ">i4"), ("offered", ">i4")])

#: In the order, and with the conditions, of the corpus.
_LOOKS = """
    SELECT coalesce(string_agg(
        uuid_send(vote.id) || int4send(coalesce(vote.focus_ms, -1)) || int4send(coalesce(vote.steps_opened, -1)::int)
        || int4send((cardinality(vote.reasons) > 0 OR vote.note <> '')::int) || int4send(coalesce(offer.steps, 0)::int),
        ''::bytea ORDER BY vote.id), ''::bytea)
    FROM judging_vote vote
    LEFT JOIN (
        SELECT attempt.battle_id, sum(last.number) AS steps
        FROM battles_attempt attempt JOIN battles_lane lane ON lane.attempt_id = attempt.id
        -- Steps are numbered from 1 without a gap, so that the last number is how many there are.
        CROSS JOIN LATERAL (SELECT max(number) AS number FROM battles_step WHERE lane_id = lane.id) last
        WHERE attempt.outcome = 'finished'
        GROUP BY attempt.battle_id
    ) offer ON offer.battle_id = vote.battle_id
    WHERE least(vote.locked_at, vote.cast_at + %(revisable)s) <= %(at)s
"""

#: Labels for these reasons were not cast on the board, or are not there any more.
_NOT_CAST = (Reason.NOT_LIVE,)


class VotesDisagree(Exception):
    """The corpus and what stands beside it are not about the same labels."""


@dataclass(frozen=True)
class Votes:
    """Labels in the order of the corpus; arrays are (n,)."""

    corpus: Corpus
    at: datetime

    @cached_property
    def looks(self) -> NDArray[np.void]:
        """What was measured of each label.

        Raises:
            VotesDisagree: it is not about the labels of the corpus.
        """
        with connection.cursor() as cursor:
            values: dict[str, Any] = {"at": self.at, "revisable": REVISABLE_FOR}
            cursor.execute(_LOOKS, values)
            found = np.frombuffer(bytes(cursor.fetchone()[0]), dtype=_LOOK)
        if len(found) != len(self.corpus.reason):
            raise VotesDisagree(f"{len(found)} labels beside a corpus of {len(self.corpus.reason)}")
        return found

    @property
    def rated(self) -> Flags:
        return self.corpus.rated

    @cached_property
    def cast(self) -> Flags:
        """Labels cast on the board, whatever became of them."""
        return np.asarray(~np.isin(self.corpus.reason, _NOT_CAST))

    @cached_property
    def rated_ids(self) -> list[str]:
        """Identifiers of the labels that rate."""
        return [bytes(name).hex() for name in self.looks["id"][self.rated]]

    def look(self, name: str) -> Integers:
        return self.looks[name].astype(np.int64)

    @cached_property
    def judges(self) -> Integers:
        """Judge of each rated label."""
        return self.corpus.judge[self.rated]

    @cached_property
    def battles(self) -> Integers:
        return self.corpus.battle[self.rated]

    @cached_property
    def outcomes(self) -> Integers:
        """Outcome of each rated label, seen from slot A."""
        return self.corpus.outcome[self.rated]

    @cached_property
    def sides(self) -> tuple[Integers, Integers, Integers]:
        """Agent, judge and outcome seen from the agent, of both sides of each rated label; (2r,) each."""
        a, b = self.corpus.agent_a[self.rated], self.corpus.agent_b[self.rated]
        seen_from_b = np.select(
            [self.outcomes == A_WINS, self.outcomes == B_WINS], [B_WINS, A_WINS], default=self.outcomes
        )
        return (
            np.concatenate([a, b]),
            np.concatenate([self.judges, self.judges]),
            np.concatenate([self.outcomes, seen_from_b]),
        )

    def answers_by_battle(self) -> Floats:
        """(B, 4) how often each answer was given by independent judges, of each battle with such a rated label."""
        independent = self.rated & ~self.corpus.by_submitter
        _, battle = np.unique(self.corpus.battle[independent], return_inverse=True)
        counts = np.zeros((int(battle.max()) + 1 if battle.size else 0, 4))
        np.add.at(counts, (battle, self.corpus.outcome[independent]), 1)
        return counts


def read_votes(board: Board, at: datetime) -> Votes:
    """The labels of a board as of an instant."""
    return Votes(read_corpus(board, at=at), at)


__all__ = ["A_WINS", "BOTH_BAD", "B_WINS", "TIE", "Votes", "VotesDisagree", "read_votes"]
