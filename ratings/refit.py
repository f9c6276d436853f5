"""The refit: reads the whole corpus, fits from scratch, and publishes one document or nothing."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import numpy as np
from django.db import connection, transaction
from django.utils import timezone

from battles.models import Agent
from governance.journal import record
from ratings.canonical import NotFinite
from ratings.corpus import CorpusUnreadable, read_corpus
from ratings.models import Board, Publication, Refit, latest_publication
from ratings.publications import CODE_VERSION, GateRefused, make_document

logger = logging.getLogger(__name__)

#: A refit that has run this long has lost its worker.
STUCK = timedelta(hours=1)
#: Advisory lock of PostgreSQL that makes refits take turns, one number for each board.
LOCKS = {Board.HEADLINE: 7_301, Board.DEMO: 7_302}


def refit(*, board: Board, actor: str) -> Refit:
    """Fit a board and publish the result, unless nothing changed.

    Safe against two at once: the second waits and then finds nothing to do. A failure changes nothing public
    and leaves a row with the reason.
    """
    run = Refit.objects.create(board=board)
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCKS[board]])
            _fit_and_publish(run, actor)
    except (GateRefused, CorpusUnreadable, NotFinite, np.linalg.LinAlgError, ArithmeticError, ValueError) as problem:
        run.publication = None
        run.outcome = Refit.Outcome.FAILED
        run.reason = (str(problem) or type(problem).__name__)[:500]
        logger.warning("refit of %s published nothing: %s", board, run.reason)
    run.ended_at = timezone.now()
    run.save()
    return run


def _fit_and_publish(run: Refit, actor: str) -> None:
    board = Board(run.board)
    left_behind = Refit.objects.filter(
        board=board, outcome=Refit.Outcome.RUNNING, started_at__lt=run.started_at - STUCK
    )
    left_behind.update(outcome=Refit.Outcome.FAILED, reason="Its worker stopped.", ended_at=timezone.now())
    corpus = read_corpus(board)
    previous = latest_publication(board)
    if previous is not None and previous.corpus_digest == corpus.digest and _code_version(previous) == CODE_VERSION:
        run.outcome = Refit.Outcome.UNCHANGED
        run.publication = previous
        return
    document = make_document(board=board, corpus=corpus, previous=previous)
    publication = Publication.objects.create(
        digest=document.digest,
        board=board,
        number=previous.number + 1 if previous else 1,
        previous=previous,
        corpus_digest=corpus.digest,
        public_digest=document.public_digest,
        labels_cast=int(corpus.reason.size),
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


def _code_version(publication: Publication) -> str:
    return str(json.loads(publication.public_document)["code_version"])


def _tell_the_draw(board: Board, publication: Publication) -> None:
    """Write published standings where matchmaking reads them: models' from the headline, baselines' from demo."""
    kind = Agent.Kind.MODEL if board == Board.HEADLINE else Agent.Kind.BASELINE
    for row in json.loads(publication.public_document)["ratings"]:
        Agent.objects.filter(pk=row["agent"], kind=kind).update(
            published_rating=row["rating"], published_at=publication.published_at
        )
