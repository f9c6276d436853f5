"""Withdrawal: a person takes back everything they gave, at once and by themselves."""

from django.db import transaction
from django.utils import timezone

from governance.contributions import contributions
from governance.journal import record
from governance.models import Judge, Withdrawal


@transaction.atomic
def withdraw_everything(*, judge: Judge) -> Withdrawal:
    """Take out all of a judge's labels of every kind and erase what they say.

    What is left are rows without content, so that counts and audits still add up; the next fit leaves them out.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    removed = {kind.kind: kind.withdraw(judge) for kind in contributions()}
    withdrawal = Withdrawal.objects.create(judge=judge, done_at=timezone.now(), removed=removed)
    record(
        actor=f"judge:{judge.pk}",
        action="governance:withdrawal:done",
        subject=str(withdrawal.pk),
        removed=removed,
    )
    return withdrawal
