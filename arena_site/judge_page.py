"""A judge's own page: how their calls came out, whether their labels rate and why, what they gave and still may."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from battles.imagery.masks import sees_originals
from battles.models import Battle, Lane
from battles.presentation import BattleView, battle_view
from battles.shown_words import shown_task
from governance.contributions import contributions
from governance.limits import LABELS_A_DAY, LABELS_AN_HOUR, spent_instants
from governance.models import Judge
from judging.access import readable_by
from judging.accounts import is_signed_in
from judging.calibration import Calibration, calibration
from judging.models import Vote
from judging.pool import PRACTICE_NEEDED, practice_votes
from judging.repeats import consistency
from judging.trust import State, distance_to_decision, trust_state
from judging.trust_rule import CALLS_NEEDED, WINDOW, WORST_ACCURACY, wrong_mark_words

#: Battles and calls on one page, the newest; older ones keep their addresses.
LISTED = 50
#: A device that signed in may have given something before its judge was made.
BEFORE_EVERYTHING = datetime(1970, 1, 1, tzinfo=UTC)
#: What is given, in words, one and several, in the order in which it is usually given.
KINDS = {
    "task": ("task", "tasks"),
    "vote": ("vote", "votes"),
    "step verdict": ("step marked", "steps marked"),
    "annotation": ("box drawn", "boxes drawn"),
    "click": ("click", "clicks"),
}
STATE_WORDS = {
    State.NEW: "New",
    State.TRUSTED: "Trusted",
    State.UNTRUSTED: "Not trusted",
    State.SUSPENDED: "Suspended",
}
STATE_MEANS = {
    State.NEW: "Your labels count. Too few of your calls could be scored to say more.",
    State.TRUSTED: "Your labels count.",
    State.UNTRUSTED: "Your labels are kept and left out of the ratings while your calls stay below the rule.",
    State.SUSPENDED: "An operator has put your labels aside and closed the pool to you.",
}
SOURCE_WORDS = {"gold": "A check knew the outcome", "majority": "Most other judges"}


@dataclass(frozen=True, slots=True)
class CallView:
    """One scored call; ``href`` only where the battle may still be read."""

    battle: str
    href: str
    source: str
    said: str
    expected: str
    right: bool
    settled_at: datetime


@dataclass(frozen=True, slots=True)
class LimitView:
    """Given and allowed in a window; ``again_at`` when the next is allowed, None while it is now."""

    words: str
    given: int
    allowed: int
    again_at: datetime | None


def judge_context(judge: Judge | None) -> dict[str, Any]:
    """Everything on the page; for a browser that gave nothing there is nothing but the rules."""
    context: dict[str, Any] = {
        "known": judge is not None,
        "needed": CALLS_NEEDED,
        "window": WINDOW,
        "worst": round(100 * WORST_ACCURACY),
        "wrong_marks": wrong_mark_words(),
        "practice_needed": PRACTICE_NEEDED,
        "posted": [],
        "judged": [],
    }
    if judge is None:
        return context
    found = calibration(judge)
    scored, _ = distance_to_decision(judge)
    state = trust_state(judge)
    return context | {
        "signed_in": is_signed_in(judge),
        "practice_done": practice_votes(judge),
        "calibration": found,
        "accuracy_percent": _percent(found.accuracy),
        "lower_percent": _percent(found.lower),
        "upper_percent": _percent(found.upper),
        "accuracy_reason": "" if found.calls else "None of your calls could be scored so far.",
        "calls": call_views(judge, found),
        "trust": {
            "words": STATE_WORDS[state],
            "means": STATE_MEANS[state],
            "scored": scored,
            "left": max(0, CALLS_NEEDED - scored),
        },
        "history": list(judge.trust_changes.order_by("-id").values("before", "state", "reason", "at")[:LISTED]),
        "given": given_by_kind(judge),
        "limits": limit_views(judge),
        "second_looks": consistency(judge),
        "posted": _battles(judge, task__judge=judge, task__withdrawn_at__isnull=True),
        "judged": _battles(judge, votes__judge=judge, votes__withdrawn_at__isnull=True),
    }


def _percent(share: float | None) -> int | None:
    return None if share is None else round(100 * share)


def _battles(judge: Judge, **mine: Any) -> list[BattleView]:
    battles = Battle.objects.select_related("task").filter(readable_by(judge), **mine).order_by("-created_at")
    return [battle_view(battle, original=sees_originals(battle.task, judge)) for battle in battles[:LISTED]]


def call_views(judge: Judge, found: Calibration) -> list[CallView]:
    """The newest calls first, verdicts with the letters their judge saw."""
    calls = list(found.calls)[-LISTED:][::-1]
    verdicts = {verdict for call in calls for verdict in (call.said, call.expected)} - set(Vote.Choice.values)
    slots = {str(lane.pk): lane.slot for lane in Lane.objects.filter(pk__in=verdicts)}
    battles = Battle.objects.filter(pk__in=[call.battle for call in calls]).select_related("task")
    instructions = {
        battle.pk: shown_task(battle.task, original=sees_originals(battle.task, judge))["instruction"]
        for battle in battles
    }
    readable = set(Battle.objects.filter(readable_by(judge), pk__in=instructions).values_list("pk", flat=True))
    return [
        CallView(
            battle=instructions[call.battle],
            href=f"/battles/{call.battle}" if call.battle in readable else "",
            source=SOURCE_WORDS[call.source],
            said=verdict_words(call.said, slots),
            expected=verdict_words(call.expected, slots),
            right=call.right,
            settled_at=call.settled_at,
        )
        for call in calls
    ]


def verdict_words(verdict: str, slots: dict[str, str]) -> str:
    return f"{slots[verdict]} is better" if verdict in slots else Vote.Choice(verdict).label.capitalize()


def given_by_kind(judge: Judge) -> list[dict[str, Any]]:
    """How many labels of each kind this judge gave, withdrawn ones included."""
    given = {
        kind.kind: sum(rows.count() for rows in kind.instants(judge, BEFORE_EVERYTHING)) for kind in contributions()
    }
    return [{"kind": KINDS[kind][given[kind] != 1], "given": given[kind]} for kind in KINDS if kind in given]


def limit_views(judge: Judge, *, now: datetime | None = None) -> list[LimitView]:
    """How much of each limit is used, and when there is room again; the rule itself is the limit check's."""
    now = now or timezone.now()
    instants = spent_instants(judge, now - timedelta(days=1))
    views = []
    for words, allowed, window in (
        ("in the last hour", LABELS_AN_HOUR, timedelta(hours=1)),
        ("in the last day", LABELS_A_DAY, timedelta(days=1)),
    ):
        inside = [at for at in instants if at > now - window]
        again = inside[len(inside) - allowed] + window if len(inside) >= allowed else None
        views.append(LimitView(words, len(inside), allowed, again))
    return views
