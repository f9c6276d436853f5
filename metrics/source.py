"""The records as computations see them: each table is read once, and only when something asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import connection

from battles.models import Agent
from metrics.arithmetic import Sums, quantile_shares
from metrics.computation import Computation, Needs
from metrics.counted_lanes import COLUMNS, make_counted_lanes, needs_marks
from metrics.counted_votes import A_WON, B_WON, BAD, RATED, TIED, make_counted_votes
from metrics.population import board_values, joined_rows
from metrics.reading import NO_DATA, Reading
from metrics.sums import WIDTH, sums_of
from ratings.models import Board, Publication, latest_publication
from ratings.rated_corpus import A_WINS, B_WINS

#: What a sort or a hash may take before PostgreSQL writes it to disk: more steps take more disk, not more memory.
WORK_MEM = "64MB"


#: How the rated labels of each judge see each agent.
_JUDGED = f"""(
    SELECT agent, judge, count(*) FILTER (WHERE {A_WON}) AS won, count(*) FILTER (WHERE {B_WON}) AS lost,
           count(*) FILTER (WHERE {TIED}) AS tied, count(*) FILTER (WHERE {BAD}) AS bad
    FROM (
        SELECT agent_a AS agent, judge, outcome FROM counted_votes WHERE {RATED}
        UNION ALL
        SELECT agent_b, judge, CASE WHEN {A_WON} THEN {B_WINS} WHEN {B_WON} THEN {A_WINS} ELSE outcome END
        FROM counted_votes WHERE {RATED}
    ) AS side GROUP BY agent, judge
) AS judged"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Row:
    """An agent of the board; ``active`` while it may be drawn, which it may until its notice is over.

    A row that other versions were joined to is active while one of them may be drawn.
    """

    key: str
    provider: str
    active: bool
    joined: datetime


class Source:
    """The records of one board at one instant.

    Args:
        board: whose.
        at: votes are read as of this instant.
        needs: what will be asked for.
    """

    def __init__(self, board: Board, at: datetime, needs: Needs) -> None:
        self.board = board
        self.at = at
        self.needs = needs
        self.values = board_values(board, at)
        self._has_counted_lanes = False
        self._has_counted_votes = False

    @cached_property
    def agents(self) -> tuple[Row, ...]:
        """Rows of the board, by key: what may have a place there, without versions that count in another's row."""
        row_of = joined_rows(self.at)
        drawn = {row_of.get(version.key, version.key) for version in self.versions if version.active}
        return tuple(
            replace(version, active=version.key in drawn) for version in self.versions if version.key not in row_of
        )

    @cached_property
    def versions(self) -> tuple[Row, ...]:
        """Agents that may have a place on the board, by key, each version by itself, as they are drawn."""
        found = Agent.objects.exclude(affiliated_from__lte=self.at).order_by("key")
        if self.board == Board.HEADLINE:
            found = found.filter(kind=Agent.Kind.MODEL)
        return tuple(Row(agent.key, agent.provider, agent.races(self.at), agent.created_at) for agent in found)

    @cached_property
    def publication(self) -> Publication | None:
        """The newest publication of the ratings."""
        return latest_publication(self.board)

    @cached_property
    def ratings(self) -> dict[str, Any] | None:
        """Its full document."""
        return json.loads(self.publication.document) if self.publication else None

    @cached_property
    def lane_sums(self) -> dict[tuple[str, str], dict[str, Sums]]:
        """Sums over lanes of every pair of columns that is needed, by agent."""
        self.counted_lanes()
        return self._sums(self.needs.pairs, "counted_lanes")

    @cached_property
    def vote_sums(self) -> dict[tuple[str, str], dict[str, Sums]]:
        """Sums over judges of every pair of expressions that is needed, by agent; a label counts for both sides."""
        self.counted_votes()
        return self._sums(self.needs.vote_pairs, _JUDGED)

    def _sums(self, pairs: Sequence[tuple[str, str]], rows: str) -> dict[tuple[str, str], dict[str, Sums]]:
        asked = ", ".join(sums_of(counted, over) for counted, over in pairs)
        found: dict[tuple[str, str], dict[str, Sums]] = {pair: {} for pair in pairs}
        for agent, *sums in self.ask(f"SELECT agent, {asked} FROM {rows} GROUP BY agent"):  # noqa: S608
            for place, pair in enumerate(pairs):
                found[pair][agent] = Sums(*sums[WIDTH * place : WIDTH * (place + 1)])
        return found

    @cached_property
    def medians(self) -> dict[str, dict[str, Reading]]:
        """Medians with the order statistics around them, by column and agent."""
        self.counted_lanes()
        names = self.needs.medians
        sizes = {
            agent: counts
            for agent, *counts in self.ask(
                f"SELECT agent, {', '.join(f'count({name})' for name in names)} FROM counted_lanes GROUP BY agent"  # noqa: S608
            )
        }
        wanted: dict[str, list[Any]] = {"agents": list(sizes)}
        for place in range(len(names)):
            reach = [quantile_shares(0.5, max(1, counts[place])) for counts in sizes.values()]
            wanted[f"low_{place}"], wanted[f"high_{place}"] = [low for low, _ in reach], [high for _, high in reach]
        ends = [f"{end}_{place}" for place in range(len(names)) for end in ("low", "high")]
        middles = ", ".join(
            f"percentile_cont(0.5) WITHIN GROUP (ORDER BY {name}::float8), "
            f"percentile_disc(ARRAY[low_{place}, high_{place}]) WITHIN GROUP (ORDER BY {name}::float8)"
            for place, name in enumerate(names)
        )
        rows = self.ask(
            f"""SELECT wanted.agent, {middles}
            FROM unnest(%(agents)s::text[], {", ".join(f"%({end})s::float8[]" for end in ends)})
                AS wanted(agent, {", ".join(ends)})
            JOIN counted_lanes ON counted_lanes.agent = wanted.agent
            GROUP BY wanted.agent, {", ".join(ends)}""",  # noqa: S608
            wanted,
        )
        found: dict[str, dict[str, Reading]] = {name: {} for name in names}
        for agent, *values in rows:
            for place, name in enumerate(names):
                if size := sizes[agent][place]:
                    lower, upper = values[2 * place + 1]
                    found[name][agent] = Reading(values[2 * place], lower, upper, size=size)
        return found

    def step_quantile(self, quantile: float) -> dict[str, Reading]:
        """A quantile of seconds a step by nearest rank, its interval for as many items as there are lanes."""
        sums = self.lane_sums["steps", "steps"]
        wanted = {agent: quantile_shares(quantile, of.effective_clusters) for agent, of in sums.items() if of.n > 0}
        rows = self.ask(
            f"""SELECT wanted.agent, count(*),
                   percentile_disc(ARRAY[{quantile}, wanted.low, wanted.high]) WITHIN GROUP (ORDER BY ms)
            FROM counted_lanes JOIN unnest(%(agents)s::text[], %(lows)s::float8[], %(highs)s::float8[])
                AS wanted(agent, low, high) ON wanted.agent = counted_lanes.agent
            CROSS JOIN LATERAL unnest(step_ms) AS ms
            GROUP BY wanted.agent, wanted.low, wanted.high""",  # noqa: S608
            {
                "agents": list(wanted),
                "lows": [low for low, _ in wanted.values()],
                "highs": [high for _, high in wanted.values()],
            },
        )
        return {
            agent: Reading(middle / 1000, lower / 1000, upper / 1000, size=size)
            for agent, size, (middle, lower, upper) in rows
        }

    def of_agents(self, found: Mapping[str, Reading]) -> dict[str | None, Reading]:
        """A reading for every agent of the board; those without one have no data."""
        return {row.key: found.get(row.key, NO_DATA) for row in self.agents}

    def ask(self, statement: str, values: Any = None) -> list[tuple[Any, ...]]:
        """Rows of one statement, as few as there are agents."""
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    def counted_lanes(self) -> None:
        """Have the table of counted lanes, with every column that is needed."""
        if not self._has_counted_lanes:
            columns = self.needs.lane_columns
            if needs_marks(columns):
                self.counted_votes()
            make_counted_lanes(columns, self.board, self.at)
            self._has_counted_lanes = True

    def counted_votes(self) -> None:
        """Have the table of counted votes."""
        if not self._has_counted_votes:
            make_counted_votes(self.board, self.at)
            self._has_counted_votes = True


def needs_of(computations: Iterable[Computation]) -> Needs:
    """What several computations need together."""
    needs = Needs()
    for computation in computations:
        needs |= computation.needs
    unknown = sorted(set(needs.lane_columns) - set(COLUMNS))
    if unknown:
        raise KeyError(f"no such fact of a lane: {', '.join(unknown)}")
    return needs
