"""Making a publication again from its corpus, and comparing every number at the rounding it was published at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from governance.models import JournalEntry
from ratings.canonical import canonical, digest
from ratings.corpus import CorpusGone, board_of, corpus_as_of
from ratings.documents import CODE_VERSION, Provenance
from ratings.models import Board, Publication
from ratings.publications import Document, document_of_corpus
from ratings.rated_corpus import Corpus

#: What a document says of itself that the corpus does not give: versions may differ, numbers may not.
NOT_COMPARED = frozenset({"libraries"})
#: Keys without which nothing can be compared.
NEEDED = {"board": str, "code_version": str, "corpus_digest": str, "ratings": list}
#: Deeper nesting is no document of ours.
DEEPEST = 20


class CannotVerify(Exception):
    """There is nothing to compare with, or it is not what it claims to be; the message says what to do."""


class CorpusWithdrawn(CannotVerify):
    """Part of the corpus was taken back by people who gave it, which is their right."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that came out otherwise. ``path`` leads to it, as in ``ratings[2].rating``."""

    path: str
    published: Any
    refitted: Any


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one publication.

    Attributes:
        digest: of the document as published.
        form: ``full`` or ``public``.
        board: whose it is.
        numbers: how many numbers were compared.
        differences: those that came out otherwise, words included.
        same_bytes: whether the document made again is the same to the byte.
        libraries: versions that differ: name to those of then and of now.
        problems: what else is wrong, in words.
    """

    digest: str
    form: str
    board: str
    numbers: int
    differences: tuple[Difference, ...]
    same_bytes: bool
    libraries: Mapping[str, tuple[str | None, str | None]]
    problems: tuple[str, ...] = field(default=())

    @property
    def verified(self) -> bool:
        return not self.differences and not self.problems


def verify_stored(publication: Publication) -> Verdict:
    """Verify a publication of this database from this database.

    Raises:
        CorpusWithdrawn: rows of its corpus are gone by right.
        CannotVerify: another version of the code made it, or nobody recorded when its corpus was read.
    """
    problems = tuple(_stored_problems(publication))
    published = parse_document(publication.document)
    _require_code(published)
    if publication.corpus_read_at is None:
        raise CannotVerify("Nobody recorded when its corpus was read. Give the corpus as a file with --corpus.")
    try:
        corpus = corpus_as_of(Board(publication.board), publication.corpus_read_at)
    except CorpusGone as gone:
        raise CorpusWithdrawn(
            f"The corpus behind it is gone by withdrawal: {gone.labels} of its {publication.labels_cast} labels, and "
            f"{gone.battles} battles, were taken back since. Its digest stays as a tombstone, its numbers as published."
        ) from None
    if corpus.digest != publication.corpus_digest:
        if _accounts_joined_since(publication.corpus_read_at):
            raise CannotVerify(
                "Devices were joined to accounts since, and their labels got other judges, so that the database does "
                "not give the corpus of then any more. Give an export of the time with --corpus."
            )
        problems += (
            "The database does not give the corpus of then any more, and no withdrawal explains it, nor a joined "
            "account: votes, trust or recordings were changed behind the rules.",
        )
    return verify_document(publication.document, corpus, problems=problems)


def verify_document(text: str, corpus: Corpus, *, problems: tuple[str, ...] = ()) -> Verdict:
    """Verify a document, full or public, against a corpus.

    Raises:
        CannotVerify: the text is no publication, or another version of the code made it.
    """
    published = parse_document(text)
    _require_code(published)
    if not corpus.rated.any():
        raise CannotVerify("No label of this corpus rates, so nothing was ever published of it.")
    full = "labels_seen" in published.get("audit", {})
    provenance = Provenance(
        published.get("previous"),
        published.get("corrects"),
        published.get("ledger"),
        licensees=published.get("licensees", ()),
    )
    again = document_of_corpus(board_of(published["board"]), corpus, provenance)
    refitted = json.loads(again.text if full else again.public_text)
    return Verdict(
        digest=digest(text),
        form="full" if full else "public",
        board=published["board"],
        numbers=sum(1 for _ in _numbers(refitted)),
        differences=tuple(compare(published, refitted)),
        same_bytes=_same_bytes(text, again),
        libraries=_other_libraries(published, refitted),
        problems=problems,
    )


def parse_document(text: str) -> dict[str, Any]:
    """A publication from its text.

    Raises:
        CannotVerify: it is none.
    """
    try:
        document = json.loads(text, parse_constant=_no_number)
        # Half a character can be read from JSON, and cannot be written again.
        canonical(document).encode()
    except (ValueError, RecursionError):
        raise CannotVerify("The document is not JSON.") from None
    if not isinstance(document, dict):
        raise CannotVerify("The document is no publication: it is not a JSON object.")
    for key, kind in NEEDED.items():
        if not isinstance(document.get(key), kind):
            raise CannotVerify(f"The document is no publication: {key!r} is missing, or not what it should be.")
    if not isinstance(document.get("audit", {}), dict):
        raise CannotVerify("The document is no publication: 'audit' is not what it should be.")
    if not all(isinstance(document.get(key), str | None) for key in ("previous", "corrects")):
        raise CannotVerify("The document is no publication: 'previous' or 'corrects' is not what it should be.")
    if not _is_head(document.get("ledger")):
        raise CannotVerify("The document is no publication: 'ledger' is not what it should be.")
    if not _are_licensees(document.get("licensees", [])):
        raise CannotVerify("The document is no publication: 'licensees' is not what it should be.")
    if document["board"] not in Board.values:
        raise CannotVerify(f"The document is of a board that does not exist: {document['board'][:40]!r}.")
    return document


def compare(published: Any, refitted: Any, path: str = "", depth: int = 0) -> Iterator[Difference]:
    """Every value that differs, with the way to it. What only one of the two has differs too."""
    if depth > DEEPEST:
        yield Difference(path, "nested too deeply", None)
    elif isinstance(published, dict) and isinstance(refitted, dict):
        for key in sorted(set(published) | set(refitted)):
            if depth > 0 or key not in NOT_COMPARED:
                way = f"{path}.{key}" if path else key
                yield from compare(published.get(key), refitted.get(key), way, depth + 1)
    elif isinstance(published, list) and isinstance(refitted, list):
        for place in range(max(len(published), len(refitted))):
            one, other = (rows[place] if place < len(rows) else None for rows in (published, refitted))
            yield from compare(one, other, f"{path}[{place}]", depth + 1)
    elif published != refitted or isinstance(published, bool) != isinstance(refitted, bool):
        yield Difference(path, published, refitted)


def _no_number(word: str) -> None:
    """NaN and infinities, which Python reads and JSON does not have."""
    raise ValueError(word)


def _is_head(value: object) -> bool:
    """Whether this is the head of a ledger, or none."""
    if value is None:
        return True
    if not isinstance(value, dict) or set(value) != {"size", "root"}:
        return False
    return isinstance(value["root"], str) and isinstance(value["size"], int) and not isinstance(value["size"], bool)


def _are_licensees(value: object) -> bool:
    """Whether these are licensees with the agents that they are tied to, which no corpus gives."""
    return isinstance(value, list) and all(
        isinstance(row, dict)
        and set(row) == {"licensee", "agents"}
        and isinstance(row["licensee"], str)
        and isinstance(row["agents"], list)
        and all(isinstance(agent, str) for agent in row["agents"])
        for row in value
    )


def _require_code(document: Mapping[str, Any]) -> None:
    if document["code_version"] != CODE_VERSION:
        raise CannotVerify(
            f"Version {document['code_version'][:20]} of the numbers' code made it and this is version {CODE_VERSION}: "
            "verify it with the release that published it."
        )


def _accounts_joined_since(at: datetime) -> bool:
    """Whether tasks or votes were given another judge since, as the journal has it."""
    bound = JournalEntry.objects.filter(action="judging:account:bind", at__gt=at).values_list("detail", flat=True)
    return any(detail["moved"].get(kind) for detail in bound for kind in ("task", "vote"))


def _stored_problems(publication: Publication) -> Iterator[str]:
    if digest(publication.document) != publication.digest:
        yield "The stored document is not the one its digest names."
    if digest(publication.public_document) != publication.public_digest:
        yield "The stored public document is not the one its digest names."
    if json.loads(publication.document).get("previous") != publication.previous_id:
        yield "It does not name the publication before it."


def _same_bytes(text: str, again: Document) -> bool:
    return text in {again.text, again.public_text}


def _other_libraries(
    published: Mapping[str, Any], refitted: Mapping[str, Any]
) -> dict[str, tuple[str | None, str | None]]:
    then, now = published.get("libraries"), refitted["libraries"]
    then = then if isinstance(then, dict) else {}
    return {name: (then.get(name), now.get(name)) for name in sorted({*then, *now}) if then.get(name) != now.get(name)}


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _numbers(each)
    elif isinstance(value, list):
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value
