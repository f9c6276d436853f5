"""What of the constitution itself enters the ledger.

Receipts do not: an entry for each would publish how many people take part, and when.
"""

import hashlib
from collections.abc import Iterable, Iterator

from governance.dataset_models import Snapshot
from governance.ledger.kinds import Content, LedgerKind, register_ledger_kind
from governance.models import ConsentText

CONSENT_TEXT = "governance:consent_text:archive"
WITHDRAWAL = "governance:withdrawal:done"
LEDGER_KEY = "governance:ledger_key:add"
SNAPSHOT = "governance:snapshot:build"
DELIVERY = "governance:delivery:make"
NOTICE = "governance:withdrawal_notice:send"


def consent_texts(versions: Iterable[str] | None = None) -> Iterator[Content]:
    """Archived sentences, named by the digest of the sentence."""
    texts = ConsentText.objects.order_by("version")
    if versions is not None:
        texts = texts.filter(version__in=[version for version in versions if version.isdigit()])
    for text in texts.iterator():
        digest = ConsentText.digest(text.sentence)
        problem = "" if digest == text.sha256 else "its sentence is not the one whose digest is stored beside it"
        yield Content(str(text.version), digest, problem)


def snapshots(identifiers: Iterable[str] | None = None) -> Iterator[Content]:
    """Snapshots, named by the digest of the manifest; it stays when what it names is replaced."""
    found = Snapshot.objects.order_by("made_at")
    if identifiers is not None:
        found = found.filter(pk__in=list(identifiers))
    for snapshot, stored, manifest in found.values_list("pk", "digest", "manifest").iterator(chunk_size=20):
        digest = hashlib.sha256(manifest.encode()).hexdigest()
        problem = "" if digest == stored else "its manifest is not the one whose digest is stored beside it"
        yield Content(str(snapshot), digest, problem)


register_ledger_kind(
    LedgerKind(
        CONSENT_TEXT,
        "a consent text was archived",
        contents=consent_texts,
        told=lambda journal: f"Version {journal.subject} of the consent sentence is in force; it is asked for anew.",
    )
)
register_ledger_kind(LedgerKind(WITHDRAWAL, "a person took back what they gave", detail=("removed", "scope")))
register_ledger_kind(
    LedgerKind(
        LEDGER_KEY,
        "the key that signs the ledger was made or changed",
        detail=("key_id", "signed_by_the_old"),
        told=lambda journal: f"Key {journal.detail.get('key_id', '')} signs the ledger.",
    )
)
register_ledger_kind(LedgerKind(SNAPSHOT, "a dataset snapshot was made", detail=("replaces",), contents=snapshots))
register_ledger_kind(LedgerKind(DELIVERY, "a dataset snapshot was handed to a licensee", detail=("snapshot",)))
register_ledger_kind(LedgerKind(NOTICE, "a licensee was told that something was withdrawn", detail=("snapshot",)))
