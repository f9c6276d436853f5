"""Publications enter the ledger under the digest of what is public of them."""

from collections.abc import Iterable, Iterator

from governance.ledger.kinds import Content, LedgerKind, register_ledger_kind
from governance.models import JournalEntry
from ratings.canonical import digest
from ratings.exclusion_rules import ACTION as RULES
from ratings.models import Publication


def publications(digests: Iterable[str] | None = None) -> Iterator[Content]:
    """Stored publications, named by the digest of the public document; their rows go by the full one's."""
    found = Publication.objects.order_by("board", "number")
    if digests is not None:
        found = found.filter(pk__in=list(digests))
    rows = found.values_list("digest", "public_digest", "document", "public_document")
    for full, public, document, public_document in rows.iterator(chunk_size=20):
        problems = []
        if digest(document) != full:
            problems.append("its full document is not the one its digest names")
        if digest(public_document) != public:
            problems.append("its public document is not the one its public digest names")
        yield Content(full, digest(public_document), " and ".join(problems))


def _rules_changed(journal: JournalEntry) -> str:
    now, before = journal.detail.get("digest"), journal.detail.get("before")
    if before is None:
        return f"The rules by which labels are left out were entered; their digest is {now}."
    return f"The rules by which labels are left out changed, from those of digest {before} to those of {now}."


register_ledger_kind(
    LedgerKind(
        RULES, "the rules by which labels are left out changed", detail=("digest", "before"), told=_rules_changed
    )
)
register_ledger_kind(
    LedgerKind(
        "ratings:publication:publish",
        "a publication of ratings",
        detail=("board", "corpus"),
        contents=publications,
    )
)
