"""Standings for programs: one way to fit, its history, gaps and win shares, each with what its numbers mean."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest

from battles.models import Agent
from governance.errors import NotFound
from governance.json_shapes import DIGEST, KEY
from governance.public_answers import ParameterRefused
from governance.public_reading import CSV, JSON, Answer, PublicRead, choice, text, whole
from ratings.canonical import canonical
from ratings.definitions import DEFINITIONS
from ratings.gap_page import gap_view
from ratings.methods.plan import GOAL, POINTS, TIES, plan
from ratings.models import Board, Publication
from ratings.public_shapes import COMPONENTS, GAP, MATRIX, PLAN, RATINGS
from ratings.shown_publications import asked_publication, mark_of
from ratings.standings import document_of, roster_stamp, standings_rows
from ratings.standings_table import standings_table, table_of
from ratings.variant_views import HEADLINE, VARIANTS, slug_of, variant_named, words_of
from ratings.variants import CATEGORY

HEADING = "Ratings"
BOARD = choice("board", "Which board; by default the headline's, or the demo's before it has one.", Board.values)
PUBLICATION = text("publication", "The digest of a publication; by default the one in force.", DIGEST)
WHICH = (PUBLICATION, BOARD)
#: What the rows of a fit are told in.
OF_ROWS = ("rating", "interval", "simultaneous", "anytime", "rank_range", "adjusted_rank", "place", "status")
OF_GAPS = ("gap", "win_chance")
OF_SHARES = ("win_share",)
GOALS = tuple(value for value, _ in GOAL.options)


class NoSuchVariant(NotFound):
    code = "no_such_variant"

    def __init__(self) -> None:
        super().__init__("This publication has no such way to fit.")


class NotInPublication(NotFound):
    code = "not_in_publication"

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} names an agent that is not in this publication.", field=name)


class NothingPublished(NotFound):
    code = "nothing_published"

    def __init__(self) -> None:
        super().__init__("Nothing has been published here yet.")


def definitions(names: Iterable[str], document: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What some numbers mean, in the words of the publication that they are from."""
    known = (document or {}).get("definitions") or DEFINITIONS
    return {name: dict(known[name]) for name in names if name in known}


class Ratings(PublicRead):
    """The standings, by the way to fit that is asked for.

    A category is a way to fit too: votes on tasks of one kind alone.
    """

    label = "ratings"
    heading = HEADING
    kinds = (JSON, CSV)
    parameters = (
        choice("variant", "The way to fit.", [slug_of(name) for name in VARIANTS], default=HEADLINE),
        text("category", "Votes on tasks of this kind alone; not together with variant.", "^[a-z0-9][-a-z0-9]{0,60}$"),
        *WHICH,
    )
    components = COMPONENTS
    shape = RATINGS
    table = "A row for each agent, best first."
    refusals = {404: ("no_such_publication", "no_such_variant")}

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        found = asked_publication(self.asked.get("publication"), self.asked.get("board"))
        slug = self._slug()
        if found is None:
            if slug != HEADLINE:
                raise NoSuchVariant
            return Answer(table_of(("agent_key",), []) if self.kind == CSV else _before_the_first())
        if variant_named(document_of(found), slug) is None:
            raise NoSuchVariant
        if self.kind == CSV:
            asked = "" if slug == HEADLINE else slug
            name = f"standings-{slug}-{found.public_digest[:12]}.csv"
            return Answer(standings_table(found.public_digest, asked, roster_stamp()), file=name)
        return Answer(_rows(found.pk, slug, roster_stamp()))

    def _slug(self) -> str:
        variant, category = self.asked.get("variant"), self.asked.get("category")
        if category is None:
            return variant or HEADLINE
        if variant is not None:
            raise ParameterRefused("Give variant or category, not both.", field="category")
        return slug_of(f"{CATEGORY}{category}")


def _before_the_first() -> str:
    variant = {"key": HEADLINE, "name": VARIANTS[HEADLINE][0], "words": "", "reason": None}
    nothing: dict[str, Any] = {"publication": None, "ratings": [], "parameters": []}
    return canonical({**nothing, "variant": variant, "definitions": definitions(OF_ROWS)})


@functools.lru_cache(maxsize=64)
def _rows(publication: str, slug: str, roster: str) -> str:
    """The document as it is sent; ``roster`` is the stamp of the names in it."""
    found = Publication.objects.select_related("previous").get(pk=publication)
    document = document_of(found)
    name = variant_named(document, slug) or HEADLINE
    variant = {} if name == HEADLINE else document["variants"][name]
    rows = document["ratings"] if name == HEADLINE else variant["ratings"]
    by_key = {row["agent"]: row for row in rows}
    agents = Agent.objects.in_bulk(list(by_key))
    shown = [_standing(by_key[row.agent_key], agents[row.agent_key]) for row in standings_rows(found, name)]
    label = VARIANTS[name][0] if name in VARIANTS else name.removeprefix(CATEGORY)
    return canonical(
        {
            "publication": mark_of(found),
            "variant": {"key": slug, "name": label, "words": words_of(name), "reason": variant.get("reason")},
            "definitions": definitions(OF_ROWS, document),
            "ratings": shown,
            "parameters": variant.get("parameters", []),
        }
    )


def _standing(row: Mapping[str, Any], agent: Agent) -> dict[str, Any]:
    retired = agent.retired_at.strftime("%Y-%m-%dT%H:%M:%SZ") if agent.retired_at else None
    of_the_roster = {"name": agent.name, "baseline": agent.kind == Agent.Kind.BASELINE, "retired_at": retired}
    return {**row, **of_the_roster}


class Gaps(PublicRead):
    """Two agents: what the gap between them means, and what would settle it."""

    label = "gap"
    heading = HEADING
    parameters = (
        text("a", "The key of an agent.", KEY, needed=True),
        text("b", "The key of another one.", KEY, needed=True),
        *WHICH,
    )
    components = COMPONENTS
    shape = GAP
    refusals = {404: ("no_such_publication", "nothing_published", "not_in_publication")}

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        one, other = self.asked["a"], self.asked["b"]
        if one == other:
            raise ParameterRefused("a and b are the same agent.", field="b")
        found = asked_publication(self.asked.get("publication"), self.asked.get("board"))
        if found is None:
            raise NothingPublished
        document = document_of(found)
        keys = {row["agent"] for row in document["ratings"]}
        for name in ("a", "b"):
            if self.asked[name] not in keys:
                raise NotInPublication(name)
        view = gap_view(found, one, other)
        return Answer(
            canonical(
                {
                    "publication": mark_of(found),
                    "definitions": definitions(OF_GAPS, document),
                    "above": view.one,
                    "below": view.other,
                    "gap": view.gap,
                    "lower": view.gap_lower,
                    "upper": view.gap_upper,
                    "win_chance": _part(view.win_percent),
                    "settled": view.settled,
                    "order_kept": view.order_kept,
                    "fresh_votes": view.fresh_votes,
                    "through_others": view.through_others,
                    "flip_share": _part(view.flip_percent),
                    "reason": view.reason,
                }
            )
        )


def _part(percent: float | None) -> float | None:
    return None if percent is None else round(percent / 100, 4)


class Matrix(PublicRead):
    """How often each agent was preferred to each other one."""

    label = "win_shares"
    heading = HEADING
    kinds = (JSON, CSV)
    parameters = WHICH
    components = COMPONENTS
    shape = MATRIX
    table = "A row for each pair with enough votes: agent, opponent, share."
    refusals = {404: ("no_such_publication",)}

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        found = asked_publication(self.asked.get("publication"), self.asked.get("board"))
        document = document_of(found) if found else {"win_shares": {}}
        rows = standings_rows(found)
        shares = document["win_shares"]
        if self.kind == CSV:
            pairs = [
                {"agent": one.agent_key, "opponent": other.agent_key, "share": share}
                for one in rows
                for other in rows
                if (share := shares.get(one.agent_key, {}).get(other.agent_key)) is not None
            ]
            return Answer(table_of(("agent", "opponent", "share"), pairs), file="win-shares.csv")
        return Answer(
            canonical(
                {
                    "publication": mark_of(found) if found else None,
                    "definitions": definitions(OF_SHARES, document),
                    "agents": [{"agent": row.agent_key, "name": row.agent_name} for row in rows],
                    "shares": [[shares.get(one.agent_key, {}).get(two.agent_key) for two in rows] for one in rows],
                    "reason": "below_floor",
                }
            )
        )


class Plan(PublicRead):
    """How many votes a question takes.

    Independent votes, for the ways in which two agents may meet. Says nothing about this arena's own votes.
    """

    label = "plan"
    heading = HEADING
    parameters = (
        choice("goal", "To tell two agents apart, or an interval of a width.", GOALS, needed=True),
        whole("points", POINTS.label, int(POINTS.lowest), int(POINTS.highest), needed=True),
        whole("ties", TIES.label, int(TIES.lowest), int(TIES.highest), default=0),
    )
    shape = PLAN

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        found = plan(self.asked["goal"], self.asked["points"], self.asked.get("ties", 0))
        return Answer(json.dumps(found.document()))
