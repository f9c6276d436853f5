"""A board with publications and measures, made in seconds from simulated votes."""

from dataclasses import replace
from datetime import timedelta

from django.utils import timezone

from battles.models import Agent
from metrics.publishing import publish_measures
from ratings.canonical import canonical, digest
from ratings.documents import Provenance, full_document
from ratings.models import Board, Publication
from ratings.projection import public_document
from tests.battles.factories import make_agent
from tests.metrics.rows import ran, vote
from tests.ratings.corpora import lively_corpus

POINTS = (1150, 1050, 950, 850)
#: Those that a fresh site has, by which the page of the API asks, and one more.
AGENTS = ("reference-explorer", "reference-lexical", "reference-random", "visiting")
#: What an agent may be called, and a spreadsheet must not run.
FORMULA = "=Formula & <b>Co</b>"


def publish_board(*, publications: int = 2) -> list[Publication]:
    """So many publications of the same four agents and votes on the demo board, a day apart, and measures beside."""
    corpus = replace(lively_corpus(points=POINTS, labels=600, judges=45), agents=AGENTS)
    agents = [
        make_agent(key, kind=Agent.Kind.BASELINE, name=FORMULA if place == 0 else f"Agent {place}")
        for place, key in enumerate(corpus.agents)
    ]
    vote(ran((agents[0], agents[1])), "A")
    full = full_document(Board.DEMO, corpus, Provenance())
    made: list[Publication] = []
    for number in range(1, publications + 1):
        previous = made[-1] if made else None
        document = {**full, "previous": previous.digest if previous else None}
        text, public = canonical(document), canonical(public_document(document))
        made.append(
            Publication.objects.create(
                digest=digest(text),
                board=Board.DEMO,
                number=number,
                previous=previous,
                corpus_digest=corpus.digest,
                public_digest=digest(public),
                labels_cast=len(corpus.reason),
                document=text,
                public_document=public,
                published_at=timezone.now() - timedelta(days=publications - number + 1),
            )
        )
    publish_measures(board=Board.DEMO, actor="system:test")
    return made
