"""What of the constitution itself enters the ledger.

Receipts do not: an entry for each would publish how many people take part, and when.
"""

from collections.abc import Iterable, Iterator

from governance.ledger.kinds import Content, LedgerKind, register_ledger_kind
from governance.models import ConsentText

CONSENT_TEXT = "governance:consent_text:archive"
WITHDRAWAL = "governance:withdrawal:done"
LEDGER_KEY = "governance:ledger_key:add"


def consent_texts(versions: Iterable[str] | None = None) -> Iterator[Content]:
    """Archived sentences, named by the digest of the sentence."""
    texts = ConsentText.objects.order_by("version")
    if versions is not None:
        texts = texts.filter(version__in=[version for version in versions if version.isdigit()])
    for text in texts.iterator():
        digest = ConsentText.digest(text.sentence)
        problem = "" if digest == text.sha256 else "its sentence is not the one whose digest is stored beside it"
        yield Content(str(text.version), digest, problem)


register_ledger_kind(LedgerKind(CONSENT_TEXT, "a consent text was archived", contents=consent_texts))
register_ledger_kind(LedgerKind(WITHDRAWAL, "a person took back what they gave", detail=("removed",)))
register_ledger_kind(
    LedgerKind(LEDGER_KEY, "the key that signs the ledger was made or changed", detail=("key_id", "signed_by_the_old"))
)
