"""The refit: reads the whole corpus, fits from scratch, and publishes one document or nothing."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from battles.models import Agent
from governance.journal import record
from ratings.corpus import read_corpus
from ratings.models import Board, Publication, Refit, latest_publication
from ratings.publications import CODE_VERSION, GateRefused, NothingYet, code_version, make_document
from ratings.rated_corpus import Corpus

logger = logging.getLogger(__name__)

#: Advisory lock of PostgreSQL that makes refits take turns, one number for each board.
LOCKS = {Board.HEADLINE: 7_301, Board.DEMO: 7_302}
#: The class of advisory locks by which a run shows that its worker lives; the second number is the run's own.
ALIVE = 7_300
#: A change is stamped this much before its first statement reaches the database, at the most.
STAMPED_BEFORE = timedelta(seconds=1)
#: How often, and how many seconds apart, a refit looks whether those who were writing when it was asked for are done.
LOOKS_FOR_WRITERS, BETWEEN_LOOKS = 30, 0.1
#: How often a corpus is fitted anew because something came late that belongs to it.
READINGS = 5
#: When the oldest change began that is still being written. Refits, and who says so of themselves, write nothing that a
#: corpus is read from, nor does PostgreSQL when it tidies up.
_OLDEST_WRITER = """
    SELECT min(xact_start) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'
      AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()
      AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = %s)
"""
#: What is said of a run whose worker is gone.
WORKER_STOPPED = "Its worker stopped before it published anything."


def refit(*, board: Board, actor: str) -> Refit:
    """Fit a board and publish the result, unless nothing changed.

    Safe against two at once: the second waits and then finds nothing to do. A failure of whatever kind changes nothing
    public and leaves a row with the reason; of a worker that was killed the next refit leaves it.
    """
    with _alive(board) as run:
        try:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCKS[board]])
                _bury_the_dead(run)
                _fit_and_publish(run, actor)
                run.ended_at = timezone.now()
                run.save()
        # Whatever went wrong is kept with the run: an operator reads it in the admin, the public sees the last good
        # publication with its age.
        except Exception as problem:
            run.publication = None
            run.outcome = Refit.Outcome.FAILED
            run.reason = (str(problem) or type(problem).__name__)[:500]
            run.ended_at = timezone.now()
            run.save()
            if not isinstance(problem, NothingYet):
                _raise_the_alarm(run, actor)
    return run


def write_no_corpus() -> None:
    """Show refits that this transaction writes nothing that a corpus is read from, so that none waits for its end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, 0)", [ALIVE])


def _raise_the_alarm(run: Refit, actor: str) -> None:
    """In the journal and, at a level that people are woken for, in the log."""
    record(actor=actor, action="ratings:refit:fail", subject=str(run.pk), reason=run.reason, board=run.board)
    logger.exception("refit of %s published nothing: %s", run.board, run.reason)


@contextmanager
def _alive(board: Board) -> Iterator[Refit]:
    """A row for this run, and a lock that is given back when it ends, or when its worker's connection does."""
    with transaction.atomic():
        # Before the row is there: a refit that looks for writers at this moment must see that this is none.
        write_no_corpus()
        run = Refit.objects.create(board=board)
        _ask("SELECT pg_advisory_lock(%s, %s)::text", run)
    try:
        yield run
    finally:
        _ask("SELECT pg_advisory_unlock(%s, %s)", run)


def _bury_the_dead(run: Refit) -> None:
    """Runs that nobody holds any more have lost their workers."""
    for other in Refit.objects.filter(board=run.board, outcome=Refit.Outcome.RUNNING).exclude(pk=run.pk):
        if _ask("SELECT pg_try_advisory_xact_lock(%s, %s)", other):
            other.outcome = Refit.Outcome.FAILED
            other.reason = WORKER_STOPPED
            other.ended_at = timezone.now()
            other.save()
            logger.error("refit %s of %s lost its worker and published nothing", other.pk, other.board)


def _ask(statement: str, run: Refit) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, [ALIVE, run.pk % 2**31])
        return bool(cursor.fetchone()[0])


def _fit_and_publish(run: Refit, actor: str) -> None:
    board = Board(run.board)
    read_at, previous = _settled(run.started_at), latest_publication(board)
    corpus = read_corpus(board, at=read_at)
    for _ in range(READINGS):
        if previous is not None and _stands(previous, corpus, read_at):
            run.outcome = Refit.Outcome.UNCHANGED
            run.publication = previous
            return
        document = make_document(board=board, corpus=corpus, previous=previous)
        # What was stamped before the reading and committed after it is part of the corpus of that instant.
        read, corpus = corpus, read_corpus(board, at=read_at)
        if corpus.digest == read.digest:
            break
    else:
        raise GateRefused("Labels from before the reading kept coming in while the board was fitted.")
    publication = Publication.objects.create(
        digest=document.digest,
        board=board,
        number=previous.number + 1 if previous else 1,
        previous=previous,
        corpus_digest=corpus.digest,
        public_digest=document.public_digest,
        labels_cast=int(corpus.reason.size),
        labels_withdrawn=corpus.withdrawn,
        corpus_read_at=read_at,
        document=document.text,
        public_document=document.public_text,
    )
    _tell_the_draw(board, publication)
    record(
        actor=actor,
        action="ratings:publication:publish",
        subject=publication.digest,
        board=board.value,
        corpus=corpus.digest,
    )
    run.outcome = Refit.Outcome.PUBLISHED
    run.publication = publication


def _settled(asked_at: datetime) -> datetime:
    """As of when to read: nothing that is still being written was stamped before.

    Writers are waited for a moment, so that what was there when the refit was asked for is read; one that takes longer
    keeps what came since for the next refit.
    """
    for _ in range(LOOKS_FOR_WRITERS):
        now = timezone.now()
        with connection.cursor() as cursor:
            cursor.execute(_OLDEST_WRITER, [ALIVE])
            began = cursor.fetchone()[0]
        settled = now if began is None else min(now, began - STAMPED_BEFORE)
        if settled >= asked_at:
            break
        time.sleep(BETWEEN_LOOKS)
    return settled


def _stands(previous: Publication, corpus: Corpus, read_at: datetime) -> bool:
    """Whether the publication in force says what a new one would, or already speaks of a later time."""
    if previous.corpus_read_at is not None and read_at < previous.corpus_read_at:
        return True
    return previous.corpus_digest == corpus.digest and code_version(previous) == CODE_VERSION


def _tell_the_draw(board: Board, publication: Publication) -> None:
    """Write published standings where matchmaking reads them: models' from the headline, baselines' from demo."""
    kind = Agent.Kind.MODEL if board == Board.HEADLINE else Agent.Kind.BASELINE
    document = json.loads(publication.public_document)
    for row in document["ratings"]:
        versions = [joined["agent"] for joined in document["joined"] if joined["into"] == row["agent"]]
        Agent.objects.filter(pk__in=[row["agent"], *versions], kind=kind).update(
            published_rating=row["rating"], published_at=publication.published_at
        )
