"""Write the corpus behind a board's publication to a file."""

import json
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from ratings.corpus import CorpusGone, corpus_as_of, read_corpus
from ratings.models import Board, Publication, latest_publication
from ratings.rated_corpus import Corpus

REFUSED, GONE = 2, 3
#: Readable by whoever runs the command: the corpus is for staff and licensees.
PRIVATE = 0o600


class Command(BaseCommand):
    help = (
        "Write the corpus behind the publication in force, for staff and licensees. The SHA-256 of the file is the "
        "publication's corpus digest, and verify_publication --corpus makes the numbers again from it. Withdrawn "
        "labels are in it as empty rows, so that counts add up. Exit status: 2 when refused, 3 when rows are gone by "
        "withdrawal."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--board", choices=Board.values, required=True, help="Whose corpus.")
        parser.add_argument("--output", type=Path, required=True, help="The file; it must not exist yet.")
        parser.add_argument("--now", action="store_true", help="The corpus as it is now, published or not.")
        parser.add_argument("--json", action="store_true", help="Print what was written as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        board = Board(options["board"])
        publication = None if options["now"] else latest_publication(board)
        if publication is None and not options["now"]:
            self._refuse(f"Nothing is published on the board {board} yet. --now writes its corpus as it is.", REFUSED)
        try:
            corpus = read_corpus(board) if publication is None else _behind(publication)
        except CorpusGone as gone:
            self._refuse(
                f"{gone.labels} labels and {gone.battles} battles of this corpus were withdrawn after it was "
                "published, and are not served any more. After the next refit there is a publication without them.",
                GONE,
            )
        if publication is not None and corpus.digest != publication.corpus_digest:
            self._refuse("The database does not give the corpus of then any more: see verify_publication.", REFUSED)
        try:
            _write(options["output"], corpus.encoded())
        except FileExistsError:
            self._refuse(f"{options['output']} exists already. Choose another name, or remove it first.", REFUSED)
        except OSError as problem:
            self._refuse(f"{options['output']} could not be written: {problem.strerror}.", REFUSED)
        told = {
            "board": board.value,
            "digest": corpus.digest,
            "labels": int(corpus.reason.size),
            "rated": int(corpus.rated.sum()),
            "publication": publication.digest if publication else None,
        }
        if options["json"]:
            self.stdout.write(json.dumps(told))
        else:
            self.stdout.write(
                f"{told['labels']} labels, {told['rated']} of them rated; corpus digest {corpus.digest}"
                + (f", of publication {publication.digest}" if publication else ", as of now")
            )

    def _refuse(self, words: str, status: int) -> None:
        self.stderr.write(words)
        sys.exit(status)


def _behind(publication: Publication) -> Corpus:
    at = publication.corpus_read_at or publication.published_at
    return corpus_as_of(Board(publication.board), at)


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
