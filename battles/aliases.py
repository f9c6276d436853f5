"""Aliases: which version a moving name stood for at an instant. A changed model is another agent, joined to none."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction

from battles.agent_names import normalise_name
from battles.blindness.lexicon_table import sync_lexicon
from battles.models import Agent, AgentAlias
from battles.operator_text import clean_line
from battles.roster import LONGEST, NoSuchAgent, roster_names
from governance.errors import ArenaError, Conflict, NotFound
from governance.journal import record

LONGEST_SOURCE = 300


class AliasRefused(ArenaError):
    code = "alias_refused"
    status = 422


class NoSuchAlias(NotFound):
    code = "no_such_alias"


def resolve_alias(entries: Iterable[tuple[datetime | None, str]], at: datetime) -> str | None:
    """What a name stood for at an instant: the newest entry whose ``from`` is that instant or before it.

    Args:
        entries: from when (None: since ever) and what, in any order.
    """
    before = [(start, what) for start, what in entries if start is None or start <= at]
    if not before:
        return None
    return max(before, key=lambda entry: (entry[0] is not None, entry[0] or at))[1]


def agent_of_alias(alias: str, at: datetime) -> Agent:
    """The agent that a name stood for at an instant.

    Raises:
        NoSuchAlias: nobody said what it stood for then.
    """
    rows = AgentAlias.objects.filter(alias=normalise_name(alias)).values_list("effective_from", "agent_id")
    key = resolve_alias(rows, at)
    if key is None:
        raise NoSuchAlias("Nobody entered which version this name stood for then.", field="alias")
    return Agent.objects.get(pk=key)


@transaction.atomic
def enter_alias(
    *, alias: str, agent_key: str, effective_from: datetime | None, source: str, actor: str, reason: str = ""
) -> AgentAlias:
    """Say which agent a name stands for from an instant on, inclusive. What was said of another instant stays.

    Args:
        effective_from: None: since ever, until the first instant that is named.
        source: where the change is announced; published.

    Raises:
        NoSuchAgent: there is no such agent on the roster.
        AliasRefused: the name is blank or an agent's own, or no source was given.
        Conflict: ``alias_known``: somebody said already what it stands for from that instant on.
    """
    alias = clean_line(normalise_name(alias), field="alias", longest=LONGEST["name"])
    source = clean_line(source, field="source", longest=LONGEST_SOURCE)
    if not alias or not source:
        raise AliasRefused(
            "An alias needs a name, and a source that says so.", field="alias" if not alias else "source"
        )
    agent = Agent.objects.filter(pk=agent_key).first()
    if agent is None:
        raise NoSuchAgent(agent_key)
    if Agent.objects.filter(name=alias).exclude(pk=agent.pk).exists():
        raise AliasRefused("This is the name of another agent; it cannot stand for this one.", field="alias")
    try:
        with transaction.atomic():
            entered = AgentAlias.objects.create(alias=alias, agent=agent, effective_from=effective_from, source=source)
    except IntegrityError as known:
        raise Conflict("What it stands for from that instant on was entered before.", code="alias_known") from known
    # Judges must not read it either.
    sync_lexicon(roster_names())
    record(
        actor=actor,
        action="battles:alias:enter",
        subject=str(entered.pk),
        reason=reason,
        alias=alias,
        agent=agent.pk,
        source=source,
        effective_from=effective_from.isoformat() if effective_from else None,
    )
    return entered
