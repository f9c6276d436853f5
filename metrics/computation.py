"""What a computation asks of the records, said beforehand, so that one pass over a table serves all measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from metrics.reading import Reading

if TYPE_CHECKING:
    from metrics.source import Source

#: One reading for each agent's key, or one under None for the arena.
Readings: TypeAlias = Mapping[str | None, Reading]


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be read.

    Attributes:
        pairs: columns of the counted lanes whose sums are asked for, as (counted, over).
        medians: columns whose medians are asked for.
        columns: further columns.
        votes: whether labels are asked for.
        vote_pairs: expressions over how a judge's labels see an agent whose sums are asked for, as (counted, over).
    """

    pairs: tuple[tuple[str, str], ...] = ()
    medians: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    votes: bool = False
    vote_pairs: tuple[tuple[str, str], ...] = ()

    def __or__(self, other: Needs) -> Needs:
        return Needs(
            tuple(dict.fromkeys([*self.pairs, *other.pairs])),
            tuple(dict.fromkeys([*self.medians, *other.medians])),
            tuple(dict.fromkeys([*self.columns, *other.columns])),
            self.votes or other.votes,
            tuple(dict.fromkeys([*self.vote_pairs, *other.vote_pairs])),
        )

    @property
    def lane_columns(self) -> tuple[str, ...]:
        """Every column of the counted lanes that is read."""
        return tuple(dict.fromkeys([*(name for pair in self.pairs for name in pair), *self.medians, *self.columns]))


@dataclass(frozen=True, slots=True)
class Computation:
    """A function from records to readings, with what it needs."""

    run: Callable[[Source], Readings]
    needs: Needs = Needs()
