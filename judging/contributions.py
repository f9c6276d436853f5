"""The kind of label this app stores: votes."""

from datetime import datetime

from django.utils import timezone

from governance.contributions import Contribution, register_contribution
from governance.models import Judge
from judging.models import Completion, Vote


def vote_instants(judge: Judge, since: datetime) -> list[datetime]:
    return list(Vote.objects.filter(judge=judge, cast_at__gte=since).values_list("cast_at", flat=True))


def withdraw_votes(judge: Judge) -> int:
    """Take a judge's votes out of the corpus; notes, reasons and completion marks go, the bare choice stays counted."""
    votes = Vote.objects.filter(judge=judge, withdrawn_at__isnull=True)
    Completion.objects.filter(vote__in=votes).delete()
    return votes.update(withdrawn_at=timezone.now(), note="", reasons=[], confidence="")


register_contribution(Contribution(kind="vote", instants=vote_instants, withdraw=withdraw_votes))
