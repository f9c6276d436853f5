"""The kind of label this app stores: votes."""

from datetime import datetime

from django.utils import timezone

from governance.contributions import Contribution, register_contribution
from governance.models import Judge
from judging.models import Vote


def vote_instants(judge: Judge, since: datetime) -> list[datetime]:
    return list(Vote.objects.filter(judge=judge, cast_at__gte=since).values_list("cast_at", flat=True))


def withdraw_votes(judge: Judge) -> int:
    """Take a judge's votes out of the corpus and erase their notes; the rows stay, so that audits add up."""
    return Vote.objects.filter(judge=judge, withdrawn_at__isnull=True).update(withdrawn_at=timezone.now(), note="")


register_contribution(Contribution(kind="vote", instants=vote_instants, withdraw=withdraw_votes))
