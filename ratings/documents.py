"""The document of a corpus: every published number, made from the corpus and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ratings.audit import SHARE_DECIMALS, SHARE_FLOOR, audit_document
from ratings.canonical import published
from ratings.definitions import definitions_document
from ratings.eligibility import Reason
from ratings.estimators.arrays import different
from ratings.estimators.comparisons import TIE, Comparisons
from ratings.estimators.scale import POINTS_PER_NAT
from ratings.estimators.shares_of_pairs import win_shares
from ratings.headline import HeadlineFit, fit_headline
from ratings.inference.drift import drift_tests
from ratings.inference.position import slot_a_share
from ratings.likelihoods import POSITION
from ratings.measures import libraries_document, measures_document
from ratings.models import Board
from ratings.rated_corpus import Corpus
from ratings.rating_rows import gap_rows, rating_rows
from ratings.robust import robustness_document
from ratings.variants import (
    SCHEDULE,
    both_ranges,
    fit_variants,
    parameter_document,
    rated_votes,
    seed_of,
    variant_document,
)

#: Changes whenever the same corpus would give other numbers.
CODE_VERSION = "5"
ESTIMATOR = "Bradley-Terry, ties half a win, judges as clusters with the factor G/(G-1), t at effective judges - 1"
#: An agent whose labels are all excluded or withdrawn stays listed, without a number, for this reason.
ALL_EXCLUDED = "all_excluded"
#: Labels for these reasons do not make an agent one of the board.
NOT_OF_THE_BOARD = (Reason.NOT_LIVE, Reason.NOT_RANKED, Reason.SELF_BATTLE)


def fit_corpus(corpus: Corpus, votes: Comparisons) -> tuple[HeadlineFit, list[str]]:
    """The headline, and the agents whose results changed over time, which cannot be stable."""
    fit = fit_headline(votes, corpus.agents, seed=seed_of(corpus))
    drifting = drifting_agents(fit, votes, corpus.agents)
    return fit.with_drift(drifting), drifting


def drifting_agents(fit: HeadlineFit, votes: Comparisons, agents: tuple[str, ...]) -> list[str]:
    """Names of agents whose results changed over time."""
    found: list[str] = []
    for component in fit.components:
        if component.core is not None:
            own, _ = votes.between(component.core.members)
            flagged = drift_tests(own, component.core.estimate).flagged()
            found += [agents[int(component.core.members[agent])] for agent in flagged]
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a document says of itself that the corpus does not give.

    Attributes:
        previous: digest of the publication before; None for the first.
        corrects: public digest of the publication before, where other code made it, whose numbers this one corrects.
        ledger: size and root of the ledger's tree when it was made; None where nobody asked.
        libraries: versions of what computes the numbers.
        licensees: those tied to providers of the agents then (:func:`ratings.tied_licensees.licensees_document`).
    """

    previous: str | None = None
    corrects: str | None = None
    ledger: Mapping[str, int | str] | None = None
    libraries: Mapping[str, str] = field(default_factory=libraries_document)
    licensees: Sequence[Mapping[str, Any]] = ()


def full_document(board: Board, corpus: Corpus, provenance: Provenance) -> dict[str, Any]:
    """Everything that is published of a corpus, with counts.

    Args:
        board: whose corpus it is.
        corpus: with at least one rated label.
        provenance: what it says of itself.

    Raises:
        NotFinite: a number is none.
    """
    votes = rated_votes(corpus)
    fit, drifting = fit_corpus(corpus, votes)
    variants = fit_variants(corpus, votes)
    rows = rating_rows(fit, also=agents_of(corpus))
    for row in rows:
        if not row["battles"]:
            row["reason"] = ALL_EXCLUDED
    return {
        "audit": audit_document(corpus, votes),
        "board": board.value,
        "code_version": CODE_VERSION,
        "corpus_digest": corpus.digest,
        "corrects": provenance.corrects,
        "definitions": definitions_document(),
        "drifting": drifting,
        "estimator": ESTIMATOR,
        "gaps": gap_rows(fit),
        "joined": [asdict(row) for row in corpus.joined],
        "ledger": None if provenance.ledger is None else dict(provenance.ledger),
        "libraries": dict(provenance.libraries),
        "licensees": [dict(row) for row in provenance.licensees],
        "measures": measures_document(board, corpus),
        "position": _position(corpus, votes),
        "previous": provenance.previous,
        "ratings": [both_ranges(row, variants[SCHEDULE]) for row in rows],
        "robustness": robustness_document(fit, votes, corpus.agents, np.flatnonzero(corpus.rated)),
        "seed": fit.seed,
        "variants": {name: variant_document(variant) for name, variant in variants.items()},
        "win_shares": _win_shares(corpus, votes),
    }


def agents_of(corpus: Corpus) -> set[str]:
    """Agents that belong on the board: any label of theirs was cast there, whatever became of it."""
    own = ~np.isin(corpus.reason, NOT_OF_THE_BOARD)
    return {corpus.agents[agent] for column in (corpus.agent_a, corpus.agent_b) for agent in different(column[own])}


def _position(corpus: Corpus, votes: Comparisons) -> dict[str, Any]:
    """How often slot A was preferred, and its advantage with the agents' strengths accounted for, in points."""
    document: dict[str, Any] = {"slot_a_share": None, "slot_a_lower": None, "slot_a_upper": None}
    found = slot_a_share(votes)
    decided = float(votes.weights()[votes.outcome != TIE].sum())
    if found is not None and decided >= SHARE_FLOOR:
        for key, value in zip(document, (found.value, found.lower, found.upper), strict=True):
            document[key] = published(value, SHARE_DECIMALS)
    fit = fit_headline(votes, corpus.agents, likelihood=POSITION, seed=seed_of(corpus))
    advantage = [
        {"component": number, **parameter_document(parameter, POINTS_PER_NAT)}
        for number, component in enumerate(fit.components)
        if component.core is not None
        for parameter in component.core.parameters
    ]
    failures = [component.failure for component in fit.components if component.failure is not None]
    reason = None if advantage else failures[0] if failures else "unbounded"
    return {
        **document,
        "effective_votes": None if found is None else published(found.effective_size),
        "advantage": advantage,
        "reason": reason,
    }


def _win_shares(corpus: Corpus, votes: Comparisons) -> dict[str, dict[str, float]]:
    shares = win_shares(votes, corpus.agents, floor=SHARE_FLOOR)
    return {
        agent: {other: round(value, SHARE_DECIMALS) for other, value in row.items()} for agent, row in shares.items()
    }
