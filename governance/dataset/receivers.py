"""News that snapshots follow."""

from typing import Any

from django.dispatch import receiver

from governance.dataset.recalls import withdraw_from_snapshots
from governance.models import Withdrawal
from governance.signals import labels_withdrawn


@receiver(labels_withdrawn)
def follow_withdrawal(withdrawal: Withdrawal, **news: Any) -> None:
    """In the transaction of the withdrawal: what it touches is served no more once it commits."""
    withdraw_from_snapshots(withdrawal=withdrawal)
