"""What has served its time: expired sessions, proofs and tokens, kept answers, and everything counted by network."""

from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from arena_site.accounts.limits import API_WRITES, KEPT_FOR
from arena_site.accounts.models import ApiToken, Attempt, KeptAnswer, SignInSession, SpentProof
from arena_site.accounts.tokens import ANSWERS_KEPT_FOR, LISTED_FOR


def sweep_accounts(*, now: datetime | None = None) -> dict[str, int]:
    """Delete it; returns how many rows of each kind went."""
    now = now or timezone.now()
    ended = Q(expires_at__lt=now - LISTED_FOR) | Q(revoked_at__lt=now - LISTED_FOR)
    gone = {
        "answers": KeptAnswer.objects.filter(at__lt=now - ANSWERS_KEPT_FOR),
        "API requests": Attempt.objects.filter(kind=API_WRITES.kind, at__lt=now - API_WRITES.window),
        "attempts": Attempt.objects.filter(at__lt=now - KEPT_FOR),
        "proofs": SpentProof.objects.filter(expires_at__lt=now),
        "sessions": SignInSession.objects.filter(expire_date__lt=now),
        "tokens": ApiToken.objects.filter(ended),
    }
    return {kind: rows.delete()[0] for kind, rows in gone.items()}
