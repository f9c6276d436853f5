"""What has served its time: expired sessions and proofs, and everything counted by network."""

from datetime import datetime

from django.utils import timezone

from arena_site.accounts.limits import KEPT_FOR
from arena_site.accounts.models import Attempt, SignInSession, SpentProof


def sweep_accounts(*, now: datetime | None = None) -> dict[str, int]:
    """Delete it; returns how many rows of each kind went."""
    now = now or timezone.now()
    gone = {
        "attempts": Attempt.objects.filter(at__lt=now - KEPT_FOR),
        "proofs": SpentProof.objects.filter(expires_at__lt=now),
        "sessions": SignInSession.objects.filter(expire_date__lt=now),
    }
    return {kind: rows.delete()[0] for kind, rows in gone.items()}
