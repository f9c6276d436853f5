"""An agent in which the operator has got a stake: from an instant on nobody draws it, and no fit ranks it."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from battles.merges import is_merged
from battles.models import Agent
from battles.operator_text import clean_line
from battles.roster import LONGEST_REASON, NoSuchAgent, RosterRefused
from governance.errors import Conflict
from governance.journal import record

ACTION = "battles:agent:affiliate"


@transaction.atomic
def affiliate_agent(*, key: str, reason: str, actor: str, affiliated_from: datetime | None = None) -> Agent:
    """Say that the operator has a stake in an agent from an instant on.

    Fits as of that instant or later rank it no more and count no battle of its; its history is disclosed. Fits as of
    an earlier instant are as they were, so that what was published stays what its corpus gives.

    Args:
        affiliated_from: now, or later. What was published since an earlier instant could not be made again.
        reason: published.

    Raises:
        NoSuchAgent: it is not on the roster.
        RosterRefused: no reason was given, or the instant is past.
        Conflict: ``already_affiliated``; ``is_merged`` while it is joined with another version.
    """
    reason = clean_line(reason, field="reason", longest=LONGEST_REASON)
    if not reason:
        raise RosterRefused("Say what the stake is; it is published.", field="reason")
    now = timezone.now()
    if affiliated_from is not None and affiliated_from < now:
        raise RosterRefused(
            "What was published since then counts it. Take an instant from now on, and say in the reason since when.",
            code="instant_is_past",
            field="affiliated_from",
        )
    agent = Agent.objects.select_for_update(no_key=True).filter(pk=key).first()
    if agent is None:
        raise NoSuchAgent(key)
    if agent.affiliated_from is not None:
        raise Conflict(
            f'"{agent.name}" is marked already, from {agent.affiliated_from:%Y-%m-%d %H:%M} UTC on.',
            code="already_affiliated",
        )
    if is_merged(agent):
        raise Conflict(
            f'"{agent.name}" is joined with another version. Undo that first, since only one of them would rate.',
            code="is_merged",
        )
    agent.affiliated_from = affiliated_from or now
    agent.save(update_fields=["affiliated_from"])
    record(actor=actor, action=ACTION, subject=key, reason=reason, affiliated_from=agent.affiliated_from.isoformat())
    return agent
