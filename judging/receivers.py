"""What judging does with its own news and with a withdrawal."""

import uuid
from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from battles.models import Battle
from governance.models import Judge, Withdrawal
from governance.signals import labels_withdrawn
from judging.models import Assignment, Vote
from judging.signals import vote_locked
from judging.trust import settle_trust


@receiver(labels_withdrawn, dispatch_uid="judging.on_withdrawal")
def on_withdrawal(*, withdrawal: Withdrawal, **_: Any) -> None:
    """Give back the battle that somebody holds who is nobody any more."""
    if withdrawal.scope not in {Withdrawal.Scope.EVERYTHING, Withdrawal.Scope.IDENTITY}:
        return
    Assignment.objects.filter(judge=withdrawal.judge_id, outcome=Assignment.Outcome.OPEN).update(
        outcome=Assignment.Outcome.TAKEN_BACK, ended_at=timezone.now()
    )


@receiver(vote_locked, dispatch_uid="judging.on_vote_locked")
def on_vote_locked(*, vote_id: uuid.UUID, **_: Any) -> None:
    """Settle the trust of everybody whose calls this lock may have settled."""
    vote = Vote.objects.select_related("battle").get(pk=vote_id)
    battle = vote.battle
    judges: list[str] = []
    if battle.kind == Battle.Kind.GOLD:
        judges = [vote.judge_id]
    elif battle.kind == Battle.Kind.LIVE and battle.judges_needed > 1 and battle.state == Battle.State.CLOSED:
        judges = list(battle.votes.filter(by_submitter=False).values_list("judge_id", flat=True))
    for judge in Judge.objects.filter(pk__in=judges).order_by("pk"):
        settle_trust(judge=judge)
