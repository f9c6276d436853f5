"""What ratings do with news from below."""

import uuid
from typing import Any

from django.dispatch import receiver

from judging.signals import vote_locked
from ratings.refit_requests import request_refit
from ratings.ticker import move_ticker


@receiver(vote_locked, dispatch_uid="ratings.on_vote_locked")
def on_vote_locked(*, vote_id: uuid.UUID, **_: Any) -> None:
    move_ticker(vote_id=vote_id)
    request_refit()
