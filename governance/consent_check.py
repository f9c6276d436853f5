"""The consent archive, computed again: digests, versions, effective dates, and what receipts point at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db.models import F
from django.utils import timezone

from governance.models import ConsentReceipt, ConsentText, Judge


@dataclass
class ConsentReport:
    """What was looked at and what differs; ``problems`` has one sentence for each difference."""

    texts: int = 0
    receipts: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return not self.problems


def check_consent() -> ConsentReport:
    """Rehash every archived sentence and follow every receipt."""
    report = ConsentReport(texts=ConsentText.objects.count(), receipts=ConsentReceipt.objects.count())
    report.problems += _text_problems()
    report.problems += _receipt_problems()
    return report


def _text_problems() -> Iterator[str]:
    """Versions count from 1, and each is in force from its date until that of the next, so none may start earlier."""
    before: ConsentText | None = None
    now = timezone.now()
    for number, text in enumerate(ConsentText.objects.order_by("version"), start=1):
        name = f"Consent text {text.version}"
        if text.version != number:
            yield f"{name} follows version {number - 1}: a version is missing."
            return
        if ConsentText.digest(text.sentence) != text.sha256:
            yield f"{name}: the sentence is not the one whose digest is stored."
        if not text.sentence.strip():
            yield f"{name} says nothing."
        if text.grantee and text.grantee not in text.sentence:
            yield f'{name} is said to be given to "{text.grantee}", whom the sentence does not name.'
        if text.effective_from > now:
            yield f"{name} is in use and takes effect only on {text.effective_from:%Y-%m-%d %H:%M} UTC."
        if before is not None:
            if text.effective_from <= before.effective_from:
                yield f"{name} took effect no later than version {before.version}: two were in force at once."
            if text.sentence == before.sentence:
                yield f"{name} says the same as version {before.version}, so people were asked twice."
        before = text


def _receipt_problems() -> Iterator[str]:
    texts = {text.version: text for text in ConsentText.objects.all()}
    for receipt in ConsentReceipt.objects.order_by("given_at", "pk").iterator():
        text = texts.get(receipt.text_id)
        if text is None:
            yield f"Receipt {receipt.pk} points at version {receipt.text_id}, which is not archived."
            continue
        if receipt.rendered_sha256 != ConsentText.digest(text.sentence):
            yield f"Receipt {receipt.pk}: what was shown is not the sentence of version {text.version}."
        if receipt.language != text.language:
            yield f"Receipt {receipt.pk} was given in {receipt.language!r} for a text in {text.language!r}."
    for receipt in ConsentReceipt.objects.filter(given_at__lt=F("text__effective_from")).order_by("pk"):
        yield f"Receipt {receipt.pk} was given before version {receipt.text_id} took effect."
    for receipt in ConsentReceipt.objects.exclude(judge_id__in=Judge.objects.values("pk")).order_by("pk"):
        yield f"Receipt {receipt.pk} belongs to nobody."
