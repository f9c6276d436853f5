"""Publications of measures enter the ledger under the digest of what is public of them."""

from collections.abc import Iterable, Iterator

from governance.ledger.kinds import Content, LedgerKind, register_ledger_kind
from metrics.models import MeasuresPublication
from ratings.canonical import digest

ACTION = "metrics:publication:publish"


def publications(digests: Iterable[str] | None = None) -> Iterator[Content]:
    """Stored publications, named by the digest of the public document; their rows go by the full one's."""
    found = MeasuresPublication.objects.order_by("board", "number")
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


register_ledger_kind(LedgerKind(ACTION, "a publication of measures", detail=("board",), contents=publications))
