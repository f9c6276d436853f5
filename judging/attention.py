"""What a judge looked at: focused time and opened steps, as facts. No labels, and they rate nobody."""

import uuid
from collections.abc import Collection

from django.db.models import F
from django.db.models.functions import Least
from django.utils import timezone

from battles.models import Attempt, Battle, Step
from governance.deadlocks import done_again
from governance.models import Judge
from judging.access import NoSuchBattle, may_read
from judging.models import Attention, StepOpened

#: One report of a page covers at most its own lease; more is a clock gone wrong.
MOST_AT_ONCE_MS = 30 * 60 * 1000
#: Nobody looks at one battle longer than a day; the sum stops there.
MOST_MS = 24 * 3600 * 1000


@done_again
def record_attention(
    *, battle: Battle, judge: Judge, focus_ms: int = 0, steps: Collection[uuid.UUID] = ()
) -> Attention:
    """Add focused milliseconds since the page last said so, and the steps that were opened.

    Steps of another battle are left out; a step counts once. Kept without a journal row: a page says it every
    few seconds.

    Raises:
        NoSuchBattle: this judge may not read it.
    """
    judge = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    # Whoever took everything back in another tab, or signed in there, is nobody by now.
    if judge.erased_at is not None or not may_read(battle, judge):
        raise NoSuchBattle
    attention, _ = Attention.objects.get_or_create(battle=battle, judge=judge)
    added = max(0, min(focus_ms, MOST_AT_ONCE_MS))
    Attention.objects.filter(pk=attention.pk).update(
        focus_ms=Least(F("focus_ms") + added, MOST_MS), updated_at=timezone.now()
    )
    shown = Step.objects.filter(
        pk__in=steps, lane__attempt__battle=battle, lane__attempt__outcome=Attempt.Outcome.FINISHED
    )
    StepOpened.objects.bulk_create([StepOpened(judge=judge, step=step) for step in shown], ignore_conflicts=True)
    attention.refresh_from_db()
    return attention


def steps_opened(battle: Battle, judge: Judge) -> int:
    """How many different steps of a battle a judge opened."""
    return StepOpened.objects.filter(judge=judge, step__lane__attempt__battle=battle).count()
