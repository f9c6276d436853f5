"""Joining versions: an operator's decision that fits count what two agents raced in one row, and its undoing.

A changed model is another agent. Where an operator holds that a new version is the same model all the same, joining
says so: with a reason, in the ledger, from an instant on. Nothing that was raced or published changes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from battles.models import Agent, AgentMerge
from battles.operator_text import clean_line
from battles.roster import LONGEST_REASON, NoSuchAgent, same_provider
from governance.errors import ArenaError, Conflict
from governance.journal import record

MERGE, UNMERGE = "battles:agent:merge", "battles:agent:unmerge"

#: What joining an agent into the row of another would do to the ranks, for an actor. Ratings, which know ranks, say
#: how; the answer is theirs to show.
Effect = Callable[[Agent, Agent, str], Any]

_effects: list[Effect] = []


class MergeRefused(ArenaError):
    code = "merge_refused"
    status = 422


def register_merge_effect(effect: Effect) -> None:
    """Say how the effect of joining two agents is worked out, before they are joined."""
    _effects[:] = [effect]


def effect_of_merging(*, agent_key: str, into_key: str, actor: str) -> Any:
    """What joining them would do.

    Raises:
        NoSuchAgent, MergeRefused, Conflict: as :func:`merge_agents` does.
    """
    agent, into = _mergeable(agent_key, into_key)
    return _effects[0](agent, into, actor)


def merges_in_force(at: datetime | None = None) -> dict[str, AgentMerge]:
    """By agent key: the join that holds at an instant; now by default."""
    rows = AgentMerge.objects.filter(at__lte=at or timezone.now()).order_by("agent_id", "-id").distinct("agent_id")
    return {row.agent_id: row for row in rows.select_related("agent", "into") if row.holds}


def is_merged(agent: Agent) -> bool:
    """Whether its row counts another agent, or another's row counts it."""
    held = merges_in_force().values()
    return any(agent.pk in (row.agent_id, row.into_id) for row in held)


@transaction.atomic
def merge_agents(*, agent_key: str, into_key: str, reason: str, actor: str) -> AgentMerge:
    """From now on, fits count in the row of ``into_key`` what ``agent_key`` raced, before and after.

    A battle of one against the other compares nothing any more, and rates nobody.

    Args:
        reason: why they are one model; published.

    Raises:
        NoSuchAgent: one of them is not on the roster.
        MergeRefused: no reason was given, or they are not two versions by one provider that both may be ranked.
        Conflict: ``is_merged``: the first is part of a join already, or the second counts in another's row.
    """
    _take_turn()
    agent, into = _mergeable(agent_key, into_key)
    reason = _required(reason)
    merge = AgentMerge.objects.create(agent=agent, into=into, holds=True, reason=reason)
    record(actor=actor, action=MERGE, subject=agent.pk, reason=reason, into=into.pk)
    return merge


@transaction.atomic
def unmerge_agents(*, agent_key: str, reason: str, actor: str) -> AgentMerge:
    """From now on, fits count what an agent raced in its own row again.

    Args:
        reason: why they are two models after all; published.

    Raises:
        NoSuchAgent: it is not on the roster.
        MergeRefused: no reason was given.
        Conflict: ``not_merged``.
    """
    _take_turn()
    agent, reason = _agent(agent_key), _required(reason)
    held = merges_in_force().get(agent.pk)
    if held is None:
        raise Conflict(f'"{agent.name}" counts in its own row.', code="not_merged")
    parted = AgentMerge.objects.create(agent=agent, into=held.into, holds=False, reason=reason)
    record(actor=actor, action=UNMERGE, subject=agent.pk, reason=reason, into=held.into_id)
    return parted


def _mergeable(agent_key: str, into_key: str) -> tuple[Agent, Agent]:
    agent, into = _agent(agent_key), _agent(into_key)
    if agent.pk == into.pk:
        raise MergeRefused("Choose two different agents.", field="into_key")
    if same_provider(agent.provider) != same_provider(into.provider) or agent.kind != into.kind:
        raise MergeRefused(
            "Only versions of one model are joined: of one provider, and of one kind.", code="not_versions"
        )
    if agent.affiliated_from is not None or into.affiliated_from is not None:
        raise MergeRefused("An agent in which the operator has a stake is not ranked.", code="not_ranked")
    held = merges_in_force()
    if agent.pk in held or any(row.into_id == agent.pk for row in held.values()):
        raise Conflict(f'"{agent.name}" is part of a join already. Undo that first.', code="is_merged")
    if into.pk in held:
        raise Conflict(
            f'"{into.name}" counts in the row of "{held[into.pk].into.name}". Join with that one.', code="is_merged"
        )
    return agent, into


def _agent(key: str) -> Agent:
    agent = Agent.objects.filter(pk=key).first() if "\0" not in key else None
    if agent is None:
        raise NoSuchAgent(key)
    return agent


def _required(reason: str) -> str:
    reason = clean_line(reason, field="reason", longest=LONGEST_REASON)
    if not reason:
        raise MergeRefused("Say why; the reason is published.", field="reason")
    return reason


def _take_turn() -> None:
    """Joins are decided one after the other, or two could make a chain."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('merges of agents'))")
