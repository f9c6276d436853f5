"""The rated votes of a board as columns of its corpus, for what is no measure of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from ratings.corpus import read_corpus
from ratings.estimators.arrays import Flags, Integers
from ratings.models import Board
from ratings.rated_corpus import Corpus


@dataclass(frozen=True)
class Votes:
    """Labels in the order of the corpus; arrays are (r,), one row a rated label."""

    corpus: Corpus

    @property
    def rated(self) -> Flags:
        """(n,) which labels of the corpus rate."""
        return self.corpus.rated

    @cached_property
    def judges(self) -> Integers:
        return self.corpus.judge[self.rated]

    @cached_property
    def battles(self) -> Integers:
        return self.corpus.battle[self.rated]


def read_votes(board: Board, at: datetime) -> Votes:
    """The labels of a board as of an instant."""
    return Votes(read_corpus(board, at=at))
