"""Publications: immutable, content-addressed documents of ratings, and the gate they pass."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import IntegerField, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from governance.ledger.entries import tree_root, tree_size
from governance.models import Withdrawal
from ratings.audit import SHARE_FLOOR
from ratings.canonical import canonical, digest
from ratings.documents import CODE_VERSION, Provenance, agents_of, full_document
from ratings.eligibility import Reason
from ratings.models import Board, Publication
from ratings.projection import public_document
from ratings.rated_corpus import Corpus
from ratings.tied_licensees import licensees_document

__all__ = ["CODE_VERSION", "NOTHING_YET", "SHARE_FLOOR", "Document", "GateRefused", "NothingYet", "make_document"]


#: Said of a board that has not begun; no failure that anybody must look at.
NOTHING_YET = "No label rates on this board yet."


class GateRefused(Exception):
    """A document that must not be published; the message says why, for operators."""


class NothingYet(GateRefused):
    """There is nothing to publish."""

    def __init__(self) -> None:
        super().__init__(NOTHING_YET)


@dataclass(frozen=True, slots=True)
class Document:
    """A publication before it is stored: both canonical texts with their digests."""

    text: str
    digest: str
    public_text: str
    public_digest: str


def document_of_corpus(board: Board, corpus: Corpus, provenance: Provenance) -> Document:
    """Both texts of a corpus, with nothing but the corpus and what is given here.

    Raises:
        NotFinite: a number is none.
        UnknownShape: nobody has decided whether something is public.
    """
    full = full_document(board, corpus, provenance)
    text, public_text = canonical(full), canonical(public_document(full))
    return Document(text, digest(text), public_text, digest(public_text))


def make_document(*, board: Board, corpus: Corpus, previous: Publication | None) -> Document:
    """Fit the corpus, write both documents, and hold them to the gate.

    Raises:
        GateRefused: nothing to publish, or numbers that must not leave.
        NotFinite: a number is none.
        UnknownShape: nobody has decided whether something is public.
    """
    if not corpus.rated.any():
        raise NothingYet
    if previous is not None:
        _require_labels(corpus, previous)
    provenance = Provenance(
        previous=previous.digest if previous else None,
        corrects=previous.public_digest if previous and code_version(previous) != CODE_VERSION else None,
        ledger=ledger_head(),
        licensees=licensees_document(agents_of(corpus)),
    )
    document = document_of_corpus(board, corpus, provenance)
    rows = json.loads(document.text)["ratings"]
    _require_reasons(rows)
    if previous is not None:
        _require_agents(rows, corpus, previous)
    return document


def code_version(publication: Publication) -> str:
    """The version of the code that made its numbers."""
    return str(json.loads(publication.public_document)["code_version"])


def ledger_head() -> dict[str, int | str]:
    """Size and root of the ledger's tree: the ledger of any later day must have it as a prefix."""
    size = tree_size()
    return {"size": size, "root": tree_root(size).hex()}


def _require_reasons(rows: list[dict[str, Any]]) -> None:
    """The fit settled, and whatever is missing says why."""
    if any(row["reason"] == "not_converged" for row in rows):
        raise GateRefused("The fit did not converge.")
    silent = [row["agent"] for row in rows if row["rating"] is None and row["reason"] is None]
    if silent:
        raise GateRefused(f"Agents without a rating and without a reason: {', '.join(silent)}.")


def _require_agents(rows: list[dict[str, Any]], corpus: Corpus, previous: Publication) -> None:
    """Nobody leaves the board but by a rule: an agent once published stays listed, or counts in another's row, or is
    not ranked any more."""
    listed = {row["agent"] for row in rows}
    unranked = corpus.reason == Reason.NOT_RANKED
    excused = {corpus.agents[agent] for agent in np.unique([corpus.agent_a[unranked], corpus.agent_b[unranked]])}
    excused |= {row.agent for row in corpus.joined}
    before = {row["agent"] for row in json.loads(previous.document)["ratings"]}
    missing = sorted(before - listed - excused)
    if missing:
        raise GateRefused(f"Agents of the previous publication are missing without a reason: {', '.join(missing)}.")


def _require_labels(corpus: Corpus, previous: Publication) -> None:
    """Labels may become fewer by withdrawals and by nothing else; those that do not rate stay counted."""
    standing = int(corpus.reason.size) - corpus.withdrawn
    stood = previous.labels_cast - previous.labels_withdrawn
    explained = max(corpus.withdrawn - previous.labels_withdrawn, _votes_withdrawn_since(previous), 0)
    if stood - standing > explained:
        raise GateRefused(
            f"{standing} labels stand, {stood} stood at the previous publication, and withdrawals explain {explained} "
            f"of the difference."
        )


def _votes_withdrawn_since(previous: Publication) -> int:
    """Votes that withdrawals took out since the previous corpus was read, as they counted them themselves."""
    since = previous.corpus_read_at or previous.published_at
    votes = Coalesce(Cast(KeyTextTransform("vote", "removed"), IntegerField()), 0)
    found = Withdrawal.objects.filter(corpus_done_at__gt=since).aggregate(votes=Sum(votes))
    return int(found["votes"] or 0)
