"""Publications enter the ledger under the digest of what is public of them."""

from collections.abc import Iterable, Iterator

from governance.ledger.kinds import Content, LedgerKind, register_ledger_kind
from ratings.canonical import digest
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


register_ledger_kind(
    LedgerKind(
        "ratings:publication:publish",
        "a publication of ratings",
        detail=("board", "corpus"),
        contents=publications,
    )
)
