"""What operators are told of the roster: agents that are drawn far less often than the rule of the draw gives."""

from __future__ import annotations

import logging
from datetime import datetime

from battles.draw_shares import ALARM_BELOW, draw_shares, shares_of_today
from governance.due import Due, DueItem, DueQueue, due_of, register_due

logger = logging.getLogger(__name__)


def log_passed_over() -> list[str]:
    """Say in the log which agents were drawn less than half as often as expected; returns their keys."""
    alarming = [share for share in draw_shares() if share.alarming]
    for share in alarming:
        logger.warning(
            "agent %s was in %.1f%% of the draws of 30 days, and %.1f%% were to be expected",
            share.agent,
            100 * share.share,
            100 * share.expected_share,
        )
    return [share.agent for share in alarming]


def passed_over(now: datetime) -> Due:
    """Agents to look at; none of them has a deadline."""
    items = [
        DueItem(f"{share.agent}: {share.share:.0%} of draws, {share.expected_share:.0%} expected")
        for share in shares_of_today()
        if share.alarming
    ]
    return due_of(items, now=now)


register_due(
    DueQueue(
        "draw-shares", f"Agents drawn below {ALARM_BELOW:.0%} of what is expected", passed_over, "they are drawn on"
    )
)
