"""Verifying a stored publication again, and keeping in the journal what came of it."""

import logging

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from governance.journal import record
from governance.models import JournalEntry
from ratings.models import Publication
from ratings.verification import CannotVerify, verify_stored

logger = logging.getLogger(__name__)

#: How each outcome is journalled.
VERIFIED, DIFFERS, CANNOT = (f"ratings:publication:{word}" for word in ("verified", "differs", "cannot_verify"))
ASKED = "ratings:publication:verify"


def ask_to_verify(*, publication: Publication, actor: str, reason: str) -> JournalEntry:
    """Have a worker verify it; what comes of it is in the journal, under the publication."""
    entry = record(actor=actor, action=ASKED, subject=publication.pk, reason=reason)
    transaction.on_commit(lambda: _ring(publication.pk, actor))
    return entry


def _ring(digest: str, actor: str) -> None:
    try:
        current_app.send_task("ratings.verify_again", args=[digest, actor], ignore_result=True)
    except OperationalError:
        logger.warning("the broker did not answer; publication %s is not verified now", digest)


def verify_and_record(*, publication: Publication, actor: str) -> JournalEntry:
    """Make it again from the database and keep the verdict. Takes as long as a refit."""
    try:
        verdict = verify_stored(publication)
    except CannotVerify as problem:
        return record(actor=actor, action=CANNOT, subject=publication.pk, reason=str(problem)[:500])
    if verdict.verified:
        words = f"{verdict.numbers:,} numbers came out as published."
        return record(actor=actor, action=VERIFIED, subject=publication.pk, reason=words, numbers=verdict.numbers)
    first = [difference.path for difference in verdict.differences[:3]]
    words = " ".join([f"{len(verdict.differences)} differences. {', '.join(first)}", *verdict.problems])
    return record(actor=actor, action=DIFFERS, subject=publication.pk, reason=words[:500], numbers=verdict.numbers)
