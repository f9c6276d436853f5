"""Telling licensees of a withdrawal, with what replaces the snapshot they have."""

from __future__ import annotations

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.utils import timezone

from governance.dataset.chains import latest_replacement, read_chains
from governance.dataset.home import require_legal_name, take_turn
from governance.dataset.recalls import stop_clocks
from governance.dataset_models import Delivery, Snapshot, WithdrawalNotice
from governance.errors import ArenaError
from governance.journal import record
from governance.ledger_kinds import NOTICE
from governance.licensing import hand_over
from governance.models import Withdrawal

logger = logging.getLogger(__name__)


class NotYetReplaced(ArenaError):
    """A notice names the replacement, and there is none yet."""

    code = "not_yet_replaced"
    status = 409

    def __init__(self, notice: WithdrawalNotice) -> None:
        touched = read_chains().end(notice.snapshot_id)
        super().__init__(
            f"The replacement is not made yet. Begin it on the page of snapshot {touched} (Replace), or with "
            "manage.py snapshot replace; then say that you told them."
        )


def tell(notice: WithdrawalNotice, actor: str) -> None:
    """Hand over the replacement of what a notice is about, and mail the notice where there is an address.

    Where there is no replacement yet, or the mail does not go out, the notice waits. Whoever mails it holds it until
    that is written down, so that a second one who comes meanwhile passes it by.

    Raises:
        ExportRefused: no legal name is set.
    """
    replacement = _handed_over(notice, actor)
    if replacement is None or not notice.licensee.address:
        return
    with transaction.atomic():
        unsent = WithdrawalNotice.objects.filter(pk=notice.pk, sent_at=None)
        if unsent.select_for_update(no_key=True, skip_locked=True).exists() and _mailed(notice, replacement):
            _mark_sent(notice, WithdrawalNotice.Channel.MAIL, actor=actor, reason="")


def _mailed(notice: WithdrawalNotice, replacement: Snapshot) -> bool:
    try:
        send_mail(
            "Withdrawn data: please replace your snapshot",
            notice_text(notice.snapshot, replacement),
            settings.ARENA_WITHDRAWAL_ADDRESS or None,
            [notice.licensee.address],
        )
    except (OSError, SMTPException, ValueError) as problem:
        # The last of them: a setting that people can write to by post alone is no sender.
        logger.warning("a notice of withdrawal could not be mailed (%s); it is tried again", type(problem).__name__)
        return False
    return True


def record_notice(*, notice: WithdrawalNotice, actor: str, reason: str) -> WithdrawalNotice:
    """Write down that an operator told a licensee by themselves; the replacement is handed over, and nothing mailed.

    Raises:
        NotYetReplaced: there is nothing to replace it with yet.
        ExportRefused: no legal name is set.
    """
    if _handed_over(notice, actor) is None:
        raise NotYetReplaced(notice)
    notice = _mark_sent(notice, WithdrawalNotice.Channel.HAND, actor=actor, reason=reason)
    stop_clocks(Withdrawal.objects.filter(recalls__snapshot=notice.snapshot, licensees_done_at__isnull=True))
    return notice


@transaction.atomic
def _handed_over(notice: WithdrawalNotice, actor: str) -> Snapshot | None:
    """What replaces the snapshot of a notice, which its licensee has from now on; None while there is nothing."""
    # A withdrawal that comes meanwhile sees this delivery, or this sees the withdrawal.
    take_turn()
    replacement = latest_replacement(notice.snapshot)
    if replacement is None:
        return None
    require_legal_name()
    before = Delivery.objects.get(snapshot=notice.snapshot, licensee=notice.licensee)
    hand_over(
        snapshot=replacement,
        licensee=notice.licensee,
        terms=before.terms,
        actor=actor,
        reason="It replaces what was delivered before.",
    )
    return replacement


@transaction.atomic
def _mark_sent(notice: WithdrawalNotice, channel: str, *, actor: str, reason: str) -> WithdrawalNotice:
    notice = WithdrawalNotice.objects.select_for_update(no_key=True).get(pk=notice.pk)
    if notice.sent_at is None:
        notice.sent_at, notice.channel = timezone.now(), channel
        notice.save(update_fields=["sent_at", "channel"])
        record(actor=actor, action=NOTICE, subject=str(notice.pk), reason=reason, snapshot=notice.snapshot.digest)
    return notice


def notice_text(snapshot: Snapshot, replacement: Snapshot) -> str:
    """What a licensee is told."""
    return (
        f"Something in snapshot {snapshot.pk} (digest {snapshot.digest}) was withdrawn by the person who gave it.\n\n"
        f"Please delete your copies and use snapshot {replacement.pk} (digest {replacement.digest}) instead. "
        "It is delivered under the same terms; its manifest says how many rows are gone.\n"
    )
