"""What operators are told of the roster: agents that are drawn far less often than the rule of the draw gives."""

from __future__ import annotations

import logging
from dataclasses import asdict
from datetime import datetime

from django.utils import timezone

from battles.draw_shares import ALARM_BELOW, HELD_BACK, LOOKED_BACK, WATCHED, draw_shares
from governance.due import Due, DueItem, DueQueue, due_of, register_due
from governance.journal import record
from governance.models import JournalEntry

logger = logging.getLogger(__name__)


def note_passed_over() -> list[str]:
    """Find agents drawn less than half as often as expected, which reads every battle: into the journal, and the log.

    What is public of the shares is kept beside them, over draws that are old enough. Returns the agents' keys.
    """
    alarming = [share for share in draw_shares() if share.alarming]
    for share in alarming:
        logger.warning(
            "agent %s was in %.1f%% of the draws of %d days, and %.1f%% were to be expected",
            share.agent,
            100 * share.share,
            LOOKED_BACK.days,
            100 * share.expected_share,
        )
    passed = {share.agent: [round(share.share, 4), round(share.expected_share, 4)] for share in alarming}
    public = [asdict(share) for share in draw_shares(timezone.now() - HELD_BACK)]
    record(actor="system:roster", action="battles:draws:watch", subject=WATCHED, passed_over=passed, public=public)
    return list(passed)


def passed_over(now: datetime) -> Due:
    """Agents to look at, as the last night found them; none of them has a deadline."""
    latest = JournalEntry.objects.filter(subject=WATCHED).order_by("-at").first()
    found = latest.detail["passed_over"] if latest else {}
    items = [
        DueItem(f"{agent}: {share:.0%} of draws, {expected:.0%} expected") for agent, (share, expected) in found.items()
    ]
    return due_of(items, now=now)


register_due(
    DueQueue(
        "draw-shares", f"Agents drawn below {ALARM_BELOW:.0%} of what is expected", passed_over, "they are drawn on"
    )
)
