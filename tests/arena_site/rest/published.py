"""A board with two publications and a snapshot of measures, made in seconds from simulated votes."""

from datetime import timedelta

from django.utils import timezone

from battles.models import Agent
from metrics.publishing import publish_measures
from ratings.documents import Provenance
from ratings.models import Board, Publication
from ratings.publications import document_of_corpus
from tests.battles.factories import make_agent
from tests.ratings.corpora import lively_corpus

POINTS = (1150, 1050, 950, 850)
#: What an agent may be called, and a spreadsheet must not run.
FORMULA = "=Formula & <b>Co</b>"


def publish_board(*, publications: int = 2) -> list[Publication]:
    """So many publications of four agents on the demo board, and measures beside them."""
    made: list[Publication] = []
    for number in range(1, publications + 1):
        corpus = lively_corpus(points=POINTS, labels=600 + number, judges=45)
        if not made:
            for place, key in enumerate(corpus.agents):
                make_agent(key, kind=Agent.Kind.BASELINE, name=FORMULA if place == 0 else f"Agent {place}")
        previous = made[-1] if made else None
        about = Provenance(previous=previous.digest if previous else None)
        document = document_of_corpus(Board.DEMO, corpus, about)
        made.append(
            Publication.objects.create(
                digest=document.digest,
                board=Board.DEMO,
                number=number,
                previous=previous,
                corpus_digest=corpus.digest,
                public_digest=document.public_digest,
                labels_cast=len(corpus.reason),
                document=document.text,
                public_document=document.public_text,
                published_at=timezone.now() - timedelta(days=publications - number + 1),
            )
        )
    publish_measures(board=Board.DEMO, actor="system:test")
    return made
