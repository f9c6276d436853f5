"""Rate limits by counting rows that are already there, so that a restart resets nothing.

Every kind of label that an app declares in its ``contributions.py`` counts, and so does every change of one.
"""

from datetime import datetime, timedelta

from django.utils import timezone

from governance.contributions import contributions
from governance.errors import TooMany
from governance.models import Judge

#: A person judging with care needs minutes for a battle; sixty labels an hour leaves room for bursts.
LABELS_AN_HOUR = 60
#: Five hours at that pace: beyond it a day's labels come from a machine or from tired eyes.
LABELS_A_DAY = 300


def spent_instants(judge: Judge, since: datetime) -> list[datetime]:
    """Times of everything of one judge's that counts in the limits, at or after an instant, the oldest first."""
    queries = [
        times for kind in contributions() for spent in (kind.instants, kind.besides) for times in spent(judge, since)
    ]
    return sorted(queries[0].union(*queries[1:], all=True))


def check_label_limit(judge: Judge, *, now: datetime | None = None) -> None:
    """Refuse the next label of a judge who has reached a limit.

    Raises:
        TooMany: with the whole seconds until the oldest counted label leaves the window.
    """
    now = now or timezone.now()
    day = timedelta(days=1)
    instants = spent_instants(judge, now - day)
    for limit, window, words in (
        (LABELS_AN_HOUR, timedelta(hours=1), f"{LABELS_AN_HOUR} contributions an hour"),
        (LABELS_A_DAY, day, f"{LABELS_A_DAY} contributions a day"),
    ):
        inside = [at for at in instants if at > now - window]
        if len(inside) >= limit:
            wait = inside[len(inside) - limit] + window - now
            raise TooMany(
                f"That is {words}, the most that one person can give. Nothing was lost; please come back later.",
                retry_after=max(1, int(wait.total_seconds()) + 1),
                code="label_limit",
            )
