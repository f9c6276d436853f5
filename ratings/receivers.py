"""What ratings do with news from below."""

import uuid
from typing import Any

from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver

from governance.signals import labels_withdrawn
from judging.models import Exclusion, HeldLabel, JudgeAccount, TrustChange
from judging.signals import vote_locked
from ratings.refit_requests import request_refit, request_refit_at_once
from ratings.ticker import move_ticker


@receiver(vote_locked, dispatch_uid="ratings.on_vote_locked")
def on_vote_locked(*, vote_id: uuid.UUID, **_: Any) -> None:
    move_ticker(vote_id=vote_id)
    request_refit()


@receiver(post_save, sender=TrustChange, dispatch_uid="ratings.on_trust_change")
@receiver(post_save, sender=HeldLabel, dispatch_uid="ratings.on_held_label")
@receiver(post_save, sender=Exclusion, dispatch_uid="ratings.on_exclusion")
@receiver(post_save, sender=JudgeAccount, dispatch_uid="ratings.on_judge_account")
@receiver(labels_withdrawn, dispatch_uid="ratings.on_withdrawal")
def on_decision_about_labels(**_: Any) -> None:
    """Whose labels rate has changed, so the numbers in force are about to be wrong, however large the corpus is."""
    transaction.on_commit(request_refit_at_once)
