"""Standings as a page shows them, read from the stored publication and from nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from battles.models import Agent
from battles.roster import same_provider, variants_by_provider
from ratings.canonical import digest
from ratings.models import Board, Publication, latest_publication
from ratings.ticker import ticker_rows
from ratings.tied_licensees import licensees_by_agent
from ratings.variant_views import HEADLINE

#: Room around what is drawn on the axis, in points.
MARGIN = 20
#: About so many ticks read well under an axis.
TICKS = 5

#: What each missing number's reason means on the page.
REASON_WORDS = {
    "no_data": "No votes yet",
    "unbounded": "Never lost, or never won, against the others; no finite rating exists",
    "no_variation": "All votes say the same",
    "not_converged": "The fit did not settle",
    "not_identified": "Not more judges than numbers to find, so no interval can be given",
    "degenerate_interval": "All votes are alike, so no interval can be given",
    "not_connected": "Never met, not even through others",
    "below_floor": "Too few votes to publish",
    "all_excluded": "All its votes are excluded or were withdrawn",
    "not_measured": "Not in this publication",
}


@dataclass(frozen=True, slots=True)
class JoinedView:
    """A version that counts in a row: its key and name, whose row it is, since when and why."""

    key: str
    name: str
    into: str
    into_name: str
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One row of a page.

    Attributes:
        joined: further versions that it counts, as the publication says.
        provider_agents: how many agents its provider has entered by today.
        licensees: those tied to its provider today.
    """

    rank_best: int | None
    rank_worst: int | None
    agent_name: str
    agent_key: str
    agent_href: str
    rating: float | None
    lower: float | None
    upper: float | None
    sim_lower: float | None
    sim_upper: float | None
    status: str
    refusal: str | None
    reason: str | None
    bound: str | None
    bound_value: float | None
    retired_at: datetime | None
    baseline: bool
    component: int | None
    anytime_lower: float | None = None
    anytime_upper: float | None = None
    adjusted_best: int | None = None
    adjusted_worst: int | None = None
    rank_claimed: bool | None = None
    joined: tuple[JoinedView, ...] = field(default=())
    provider_agents: int = 1
    licensees: tuple[str, ...] = field(default=())

    @property
    def joined_with(self) -> str:
        """Keys of the versions that count in this row, for a cell of a table."""
        return " ".join(version.key for version in self.joined)

    @property
    def tied_licensees(self) -> str:
        return "; ".join(self.licensees)

    @property
    def beside(self) -> list[tuple[str, str]]:
        """What stands beside the name, each with the key of its definition."""
        joined = ", ".join(version.name for version in self.joined)
        found = [
            ("joined", f"joined with {joined}" if joined else ""),
            ("variants_tried", f"one of {self.provider_agents} by its provider" if self.provider_agents > 1 else ""),
            ("tied_licensee", f"tied licensee: {self.tied_licensees}" if self.licensees else ""),
        ]
        return [(key, words) for key, words in found if words]

    @property
    def ranges_differ(self) -> bool:
        """Whether the schedule-adjusted fit gives another range, so that both must show."""
        return self.adjusted_best is not None and self.rank_claimed is False


@dataclass(frozen=True, slots=True)
class PublicationView:
    digest: str
    board: str
    published_at: datetime
    headline: str
    href: str
    json_href: str
    csv_href: str


def board_in_force() -> Publication | None:
    """The headline publication, else the demo one, else None."""
    return latest_publication(Board.HEADLINE) or latest_publication(Board.DEMO)


def document_of(publication: Publication) -> dict[str, Any]:
    """The public document, as stored."""
    document: dict[str, Any] = json.loads(publication.public_document)
    return document


def corrected_by(publication: Publication) -> str | None:
    """Public digest of the publication that corrects this one; nothing that was published is ever edited."""
    after = Publication.objects.filter(previous=publication).first()
    corrects = after is not None and document_of(after).get("corrects") == publication.public_digest
    return after.public_digest if after is not None and corrects else None


def roster_stamp() -> str:
    """Changes with what stands beside numbers: those of a publication are fixed, and names, providers, licensees are
    not."""
    names = Agent.objects.order_by("key").values_list("key", "name", "provider", "affiliated_from")
    return digest("\n".join(map(str, [*names, *sorted(licensees_by_agent().items())])))


def publication_view(publication: Publication) -> PublicationView:
    return PublicationView(
        digest=publication.public_digest,
        board=publication.board,
        published_at=publication.published_at,
        headline="",
        href=f"/publications/{publication.public_digest}",
        json_href=f"/publications/{publication.public_digest}.json",
        csv_href=f"/publications/{publication.public_digest}.csv",
    )


def standings_rows(publication: Publication | None, variant: str = HEADLINE) -> list[StandingRow]:
    """Rows by component, best first: who never lost, who has a rating, who never won. Agents without a number last."""
    if publication is None:
        return []
    document = document_of(publication)
    rows = rows_of(document["ratings"] if variant == HEADLINE else document["variants"][variant]["ratings"])
    joined: dict[str, list[JoinedView]] = {}
    for version in joined_versions(document):
        joined.setdefault(version.into, []).append(version)
    return [replace(row, joined=tuple(joined.get(row.agent_key, ()))) for row in rows]


def joined_versions(document: Mapping[str, Any]) -> list[JoinedView]:
    """Versions that have no row of their own in a public document; none in those from before there could be any."""
    found = document.get("joined", [])
    names = dict(
        Agent.objects.filter(pk__in=[row[end] for row in found for end in ("agent", "into")]).values_list("pk", "name")
        if found
        else ()
    )
    return [
        JoinedView(
            key=row["agent"],
            name=names.get(row["agent"], row["agent"]),
            into=row["into"],
            into_name=names.get(row["into"], row["into"]),
            at=datetime.fromisoformat(row["at"]),
            reason=row["reason"],
        )
        for row in found
    ]


def rows_of(found: Sequence[dict[str, Any]]) -> list[StandingRow]:
    """Public rows of a fit as a page shows them, in that order; those of agents that are on the roster."""
    agents = Agent.objects.in_bulk([row["agent"] for row in found])
    variants, licensees = variants_by_provider(), licensees_by_agent()
    rows = [
        replace(
            _row(row, agent),
            provider_agents=variants.get(same_provider(agent.provider), 1),
            licensees=licensees.get(agent.pk, ()),
        )
        for row in found
        if (agent := agents.get(row["agent"])) is not None
    ]
    return sorted(rows, key=_order)


def _order(row: StandingRow) -> tuple[bool, int, int, float, str]:
    points = row.rating if row.rating is not None else row.bound_value
    component = row.component if row.component is not None else 0
    side = {"above": 0, None: 1, "below": 2}[row.bound]
    return (points is None, component, side, -(points or 0.0), row.agent_key)


def groups_of(rows: Sequence[StandingRow]) -> list[list[str]]:
    """Names by component where there is more than one; nothing compares across them, also where one table shows all."""
    components = sorted({row.component for row in rows if row.component is not None})
    if len(components) < 2:
        return []
    return [[row.agent_name for row in rows if row.component == component] for component in components]


def _row(row: dict[str, Any], agent: Agent) -> StandingRow:
    bound = row["bound"]
    return StandingRow(
        rank_best=row["rank_best"],
        rank_worst=row["rank_worst"],
        agent_name=agent.name,
        agent_key=agent.key,
        agent_href=f"/standings/{agent.key}",
        rating=row["rating"],
        lower=row["lower"],
        upper=row["upper"],
        sim_lower=row["sim_lower"],
        sim_upper=row["sim_upper"],
        status=row["status"],
        refusal=row["reason"],
        reason=REASON_WORDS.get(row["reason"] or ""),
        bound={"lower": "above", "upper": "below"}[bound["side"]] if bound else None,
        bound_value=bound["points"] if bound else None,
        retired_at=agent.retired_at,
        baseline=agent.kind == Agent.Kind.BASELINE,
        component=row["component"],
        anytime_lower=row.get("anytime_lower"),
        anytime_upper=row.get("anytime_upper"),
        adjusted_best=row.get("adjusted_best"),
        adjusted_worst=row.get("adjusted_worst"),
        rank_claimed=row.get("rank_claimed"),
    )


def axis_of(rows: Sequence[StandingRow]) -> dict[str, Any] | None:
    """An axis that holds every point, interval and bound of the rows, with round ticks."""
    points = [
        value
        for row in rows
        for value in (row.rating, row.lower, row.upper, row.sim_lower, row.sim_upper, row.bound_value)
        if value is not None
    ]
    return axis_over(points) if points else None


def axis_over(points: Sequence[float], *, margin: float = MARGIN) -> dict[str, Any]:
    """An axis over different values with so much room at both ends; ``percent`` is a tick's place from the left."""
    low, high = min(points) - margin, max(points) + margin
    step = _round_step((high - low) / TICKS)
    first = math.ceil(low / step)
    ticks = [_plain(step * number) for number in range(first, math.floor(high / step) + 1)]
    span = high - low
    return {
        "min": low,
        "max": high,
        "span": span,
        "ticks": [{"value": tick, "percent": round(100 * (tick - low) / span, 2)} for tick in ticks],
    }


def _plain(value: float) -> float | int:
    """A whole number without its decimals, as people write it under an axis."""
    return int(value) if value.is_integer() else round(value, 2)


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def win_share_matrix(publication: Publication, rows: Sequence[StandingRow]) -> dict[str, Any] | None:
    """Win shares in the order of the rows; None when no pair may be published."""
    shares = document_of(publication)["win_shares"]
    if not shares:
        return None
    return {
        "agents": [row.agent_name for row in rows],
        "rows": [
            {
                "agent_name": row.agent_name,
                "cells": [
                    {
                        "self": row.agent_key == other.agent_key,
                        "share": shares.get(row.agent_key, {}).get(other.agent_key),
                        "reason": REASON_WORDS["below_floor"],
                    }
                    for other in rows
                ],
            }
            for row in rows
        ],
    }


def ticker_view(board: Board) -> list[dict[str, Any]]:
    agents = Agent.objects.in_bulk()
    return [
        {
            "agent_name": agents[key].name,
            "agent_href": f"/standings/{key}",
            "value": value,
            "change": change,
        }
        for key, value, change in ticker_rows(board)
    ]
