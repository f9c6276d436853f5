"""Make a publication again and compare every number."""

import json
import stat
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from ratings.corpus import corpus_from_file
from ratings.corpus_file import CorpusRefused
from ratings.models import Board, Publication, latest_publication
from ratings.rated_corpus import Corpus
from ratings.rehearsal import rehearse
from ratings.verification import CannotVerify, CorpusWithdrawn, Verdict, parse_document, verify_document, verify_stored

#: Exit status when a number differs, when a file or an argument is refused, and when there is nothing to compare with.
DIFFERS, REFUSED, CANNOT = 1, 2, 3
#: Differences that are printed; whoever wants all of them asks for JSON.
MOST_PRINTED = 40
#: Files larger than these are no corpus (of some twenty million labels) and no document of ours.
MOST_CORPUS_BYTES, MOST_DOCUMENT_BYTES = 2_000_000_000, 256_000_000


class Command(BaseCommand):
    help = (
        "Fit a publication again from its corpus and compare every number at the rounding it was published at; whether "
        "the document is the same to the byte is said apart, since other library versions may change last digits. "
        "Without DIGEST: what is in force on each board. With --corpus and --document no database is needed. "
        "Exit status: 0 all numbers are the same, 1 some differ, 2 a file or argument was refused, 3 there is "
        "nothing to compare with, such as a corpus that was withdrawn."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("digest", nargs="?", help="Of the full or the public document.")
        parser.add_argument("--corpus", type=Path, help="The corpus as a file that export_corpus wrote.")
        parser.add_argument("--document", type=Path, help="The publication as a file, where no database has it.")
        parser.add_argument(
            "--rehearse",
            action="store_true",
            help="Try it on simulated votes: a changed number must be found.",
        )
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rehearse"]:
            self._rehearse(options)
        try:
            verdicts = self._verdicts(options)
        except CorpusWithdrawn as withdrawn:
            self._stop(options, "withdrawn", str(withdrawn), CANNOT)
        except CannotVerify as problem:
            self._stop(options, "cannot_verify", str(problem), CANNOT)
        except UnicodeDecodeError:
            self._stop(options, "refused", "The document is not UTF-8.", REFUSED)
        except OSError as problem:
            self._stop(options, "refused", f"{problem.filename} could not be read: {problem.strerror}.", REFUSED)
        except CorpusRefused as problem:
            self._stop(options, "refused", f"{problem}", REFUSED)
        else:
            self._tell(options, verdicts)
            sys.exit(0 if all(verdict.verified for verdict in verdicts) else DIFFERS)

    def _rehearse(self, options: dict[str, Any]) -> None:
        rehearsal = rehearse()
        if options["json"]:
            self.stdout.write(json.dumps({"passed": rehearsal.passed}))
        else:
            self.stdout.write(
                f"Simulated votes: {rehearsal.honest.numbers} numbers compared, {len(rehearsal.honest.differences)} "
                f"differ; of one number that was changed, {len(rehearsal.changed.differences)} was found."
            )
        sys.exit(0 if rehearsal.passed else DIFFERS)

    def _verdicts(self, options: dict[str, Any]) -> list[Verdict]:
        corpus = corpus_from_file(_read(options["corpus"], MOST_CORPUS_BYTES)) if options["corpus"] else None
        if options["document"] is not None:
            if corpus is None:
                raise CorpusRefused("A document from a file needs its corpus from a file too: give --corpus.")
            text = _read(options["document"], MOST_DOCUMENT_BYTES).decode()
            return [verify_document(text, _the_one_behind(corpus, parse_document(text)["corpus_digest"]))]
        publications = [_publication(options["digest"])] if options["digest"] else _in_force()
        if corpus is not None:
            if options["digest"] is None:
                publications = [found for found in publications if found.corpus_digest == corpus.digest]
            if not publications:
                raise CorpusRefused("No publication in force was made from this corpus; give its digest.")
            return [
                verify_document(found.document, _the_one_behind(corpus, found.corpus_digest)) for found in publications
            ]
        return [verify_stored(found) for found in publications]

    def _tell(self, options: dict[str, Any], verdicts: list[Verdict]) -> None:
        if options["json"]:
            rows = [asdict(verdict) | {"verified": verdict.verified} for verdict in verdicts]
            self.stdout.write(json.dumps({"publications": rows}))
            return
        for verdict in verdicts:
            self.stdout.write(f"{verdict.board}  {verdict.form} document {verdict.digest}")
            for problem in verdict.problems:
                self.stdout.write(f"  PROBLEM  {problem}")
            for found in verdict.differences[:MOST_PRINTED]:
                self.stdout.write(
                    f"  DIFFERS  {found.path}: published {found.published!r}, refitted {found.refitted!r}"
                )
            if len(verdict.differences) > MOST_PRINTED:
                self.stdout.write(f"  and {len(verdict.differences) - MOST_PRINTED} more; --json lists them all")
            self.stdout.write(f"  {verdict.numbers} numbers compared, {len(verdict.differences)} values differ")
            self.stdout.write(
                f"  to the byte: {'the same' if verdict.same_bytes else 'not the same'}{_versions(verdict)}"
            )
        if not verdicts:
            self.stdout.write("Nothing has been published yet, so there is nothing to verify.")

    def _stop(self, options: dict[str, Any], code: str, words: str, status: int) -> None:
        if options["json"]:
            self.stdout.write(json.dumps({"code": code, "message": words}))
        else:
            self.stderr.write(words)
        sys.exit(status)


def _read(path: Path, most: int) -> bytes:
    """A file that somebody sent: an ordinary one, and not without end.

    Raises:
        CorpusRefused: it is a device, a pipe or a folder, or too large.
        OSError: it cannot be read.
    """
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise CorpusRefused(f"{path} is no ordinary file.")
    if about.st_size > most:
        raise CorpusRefused(f"{path} has {about.st_size:,} bytes; a file of this kind has at most {most:,}.")
    with path.open("rb") as file:
        return file.read(most)


def _versions(verdict: Verdict) -> str:
    other = [f"{name} {then or 'none'} then, {now or 'none'} now" for name, (then, now) in verdict.libraries.items()]
    return f" ({'; '.join(other)})" if other else ""


def _publication(digest: str) -> Publication:
    found = (
        Publication.objects.filter(digest=digest).first() or Publication.objects.filter(public_digest=digest).first()
    )
    if found is None:
        raise CorpusRefused(
            f"This database has no publication {digest[:64]!r}. "
            "With a document from elsewhere, give --document and --corpus."
        )
    return found


def _in_force() -> list[Publication]:
    return [found for board in Board if (found := latest_publication(board)) is not None]


def _the_one_behind(corpus: Corpus, digest: str) -> Corpus:
    if corpus.digest != digest:
        raise CorpusRefused(
            f"This is not the corpus behind the publication: the file's digest is {corpus.digest}, the publication "
            f"names {digest[:64]}. It was changed, or it is another one."
        )
    return corpus
