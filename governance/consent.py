"""Consent: one sentence, kept verbatim, with a receipt for everyone who agreed to it.

No label is stored without a receipt for the current text. A new wording is a new row and asks
again before the next contribution; labels given under an older one keep theirs.
"""

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from governance.errors import ArenaError
from governance.journal import record
from governance.models import ConsentReceipt, ConsentText, Judge
from governance.recovery_codes import recovery_code

#: What the sentence covers: the two things people give.
SCOPE = "tasks, judgments"

#: The sentence, with the grantee filled in. Short enough to be read before it is agreed to.
SENTENCE = (
    "I let {grantee} keep the tasks I post and the judgments I make, publish what is computed from them, and share "
    "them with its licensees after personal details are removed; I can withdraw them at any time."
)

#: Said instead of a legal name while the operator has set none: plainly local, and nothing may leave.
LOCAL_SENTENCE = (
    "This is a private installation whose operator has given no legal name: the tasks I post and the judgments I "
    "make stay on this machine, are used for its own standings only, and I can withdraw them at any time."
)


class ConsentNeeded(ArenaError):
    """The person has not yet agreed to the current sentence."""

    code = "consent_needed"
    status = 403

    def __init__(self) -> None:
        super().__init__("Please read the consent sentence and tick the box: nothing was kept.", field="consent")


def current_sentence() -> str:
    """The sentence in force, from the operator's legal name (``ARENA_LEGAL_NAME``)."""
    if settings.ARENA_LEGAL_NAME:
        return SENTENCE.format(grantee=settings.ARENA_LEGAL_NAME)
    return LOCAL_SENTENCE


def current_text() -> ConsentText:
    """The archived text in force; archives the sentence first when it is a new one."""
    sentence = current_sentence()
    latest = ConsentText.objects.order_by("-version").first()
    if latest is not None and latest.sentence == sentence:
        return latest
    return archive_sentence(sentence=sentence)


@transaction.atomic
def archive_sentence(*, sentence: str) -> ConsentText:
    """Append a sentence to the archive as the next version. Safe against two at once."""
    list(ConsentText.objects.select_for_update(no_key=True).order_by("version").values_list("version", flat=True))
    latest = ConsentText.objects.order_by("-version").first()
    if latest is not None and latest.sentence == sentence:
        return latest
    text, created = ConsentText.objects.get_or_create(
        version=latest.version + 1 if latest else 1,
        defaults={
            "sentence": sentence,
            "sha256": ConsentText.digest(sentence),
            "scope": SCOPE,
            "grantee": settings.ARENA_LEGAL_NAME,
        },
    )
    if created:
        record(
            actor="system:consent",
            action="governance:consent_text:archive",
            subject=str(text.version),
            sha256=text.sha256,
        )
    return text


def has_consented(judge: Judge | None) -> bool:
    """Whether this person agreed to the sentence in force. Whoever was erased agrees to nothing any more."""
    if judge is None:
        return False
    return _receipts(judge).exists()


@transaction.atomic
def give_consent(*, judge: Judge, text: ConsentText, rendered: str, language: str = "en") -> ConsentReceipt:
    """Store that ``judge`` agreed to ``text`` as it was rendered.

    Raises:
        ArenaError: the text shown is no longer the one in force, or was altered on its way.
        ConsentNeeded: this judge was erased; whoever agrees now is somebody new.
    """
    _hold(judge)
    if text != current_text() or ConsentText.digest(rendered) != text.sha256:
        raise ArenaError(
            "The consent sentence has changed since this page was opened. Please read it again.",
            code="consent_outdated",
            field="consent",
        )
    receipt, created = ConsentReceipt.objects.get_or_create(
        judge=judge, text=text, defaults={"language": language, "rendered_sha256": ConsentText.digest(rendered)}
    )
    if created:
        record(
            actor=f"judge:{judge.id}",
            action="governance:consent:give",
            subject=str(receipt.id),
            version=text.version,
        )
        # From the first label on there is a code that takes it back.
        recovery_code(judge)
    return receipt


def _hold(judge: Judge) -> None:
    """Let nobody erase this judge until the receipt is there, and nobody agree for one who was erased meanwhile."""
    if Judge.objects.select_for_update(no_key=True).get(pk=judge.pk).erased_at is not None:
        raise ConsentNeeded


def receipt_in_force(judge: Judge) -> ConsentReceipt:
    """The receipt a new label is stored with.

    Raises:
        ConsentNeeded: this person has not agreed to the current sentence.
    """
    receipt = _receipts(judge).first()
    if receipt is None:
        raise ConsentNeeded
    return receipt


def _receipts(judge: Judge) -> QuerySet[ConsentReceipt]:
    """Of the sentence in force, as the database has the judge now."""
    return ConsentReceipt.objects.filter(judge=judge, judge__erased_at=None, text=current_text())
