"""Publications: immutable, content-addressed documents of ratings, and the gate they pass."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratings.canonical import canonical, digest, published
from ratings.corpus import BOTH_BAD, TIE, Corpus
from ratings.definitions import definitions_document
from ratings.eligibility import Reason
from ratings.estimators.comparisons import Comparisons
from ratings.estimators.shares_of_pairs import win_shares
from ratings.headline import AgentRating, HeadlineFit, fit_headline
from ratings.models import Board, Publication

#: Changes whenever the same corpus would give other numbers.
CODE_VERSION = "2"
#: Fewer preferring votes between two agents make a share that says nothing.
SHARE_FLOOR = 30


class GateRefused(Exception):
    """A document that must not be published; the message says why, for operators."""


@dataclass(frozen=True, slots=True)
class Document:
    """A publication before it is stored: both canonical texts with their digests."""

    text: str
    digest: str
    public_text: str
    public_digest: str


def corpus_votes(corpus: Corpus) -> Comparisons:
    """The rated labels as comparisons; both bad is half a win, like a tie."""
    rated = corpus.rated
    outcome = np.where(corpus.outcome == BOTH_BAD, TIE, corpus.outcome)
    return Comparisons(
        judge=corpus.judge[rated],
        a=corpus.agent_a[rated],
        b=corpus.agent_b[rated],
        outcome=outcome[rated],
        agents=len(corpus.agents),
        weight=corpus.weight[rated],
        battle=corpus.battle[rated],
    )


def fit_corpus(corpus: Corpus) -> HeadlineFit:
    """The fit behind a publication; its seed comes from the corpus, so that anybody gets the same intervals."""
    return fit_headline(corpus_votes(corpus), corpus.agents, seed=int(corpus.digest[:8], 16))


def make_document(*, board: Board, corpus: Corpus, previous: Publication | None) -> Document:
    """Fit the corpus and write both documents.

    Raises:
        GateRefused: nothing to publish, or a number that must not leave.
    """
    if not corpus.rated.any():
        raise GateRefused("No label rates on this board yet.")
    fit = fit_corpus(corpus)
    _gate(fit, corpus, previous)
    shared = {
        "board": board.value,
        "code_version": CODE_VERSION,
        "corpus_digest": corpus.digest,
        "definitions": definitions_document(),
        "estimator": "Bradley-Terry, ties half a win, judges as clusters, t at effective judges - 1",
        "gaps": _gaps(fit),
        "previous": previous.digest if previous else None,
        "ratings": [_row(row) for row in fit.agents if row.battles],
        "seed": fit.seed,
        "win_shares": win_shares(corpus_votes(corpus), corpus.agents, floor=SHARE_FLOOR),
    }
    full = {**shared, "audit": audit(corpus), "counts": {row.agent: row.battles for row in fit.agents}}
    text, public_text = canonical(full), canonical(shared)
    return Document(text, digest(text), public_text, digest(public_text))


def audit(corpus: Corpus) -> dict[str, Any]:
    """Labels seen, rated and excluded by reason (they add up), and how concentrated the judges are."""
    reasons = {reason.name.lower(): int((corpus.reason == reason).sum()) for reason in Reason}
    rated = corpus.rated
    per_judge = np.bincount(corpus.judge[rated], weights=corpus.weight[rated]) if rated.any() else np.zeros(0)
    total = float(per_judge.sum())
    self_judged = len(set(corpus.battle[rated & corpus.by_submitter].tolist()))
    battles = len(set(corpus.battle[rated].tolist()))
    return {
        "labels_seen": int(corpus.reason.size),
        "labels": reasons,
        "judges": int((per_judge > 0).sum()),
        "judges_effective": published(total**2 / float((per_judge**2).sum())) if total else None,
        "top_judge_share": published(float(per_judge.max()) / total) if total else None,
        "self_judged_share": published(self_judged / battles) if battles else None,
    }


def _gate(fit: HeadlineFit, corpus: Corpus, previous: Publication | None) -> None:
    failures = [component.failure for component in fit.components if component.failure == "not_converged"]
    if failures:
        raise GateRefused("The fit did not converge.")
    nameless = [row.agent for row in fit.agents if row.battles and row.rating is None and row.reason is None]
    if nameless:
        raise GateRefused(f"Agents without a rating and without a reason: {', '.join(nameless)}.")
    if previous is not None and previous.labels_cast > corpus.reason.size:
        raise GateRefused(
            f"The corpus has {corpus.reason.size} labels, the previous publication had {previous.labels_cast}, and no "
            "withdrawal explains the difference."
        )


def _row(row: AgentRating) -> dict[str, Any]:
    return {
        "agent": row.agent,
        "component": row.component,
        "rating": published(row.rating),
        "se": published(row.se),
        "lower": published(row.lower),
        "upper": published(row.upper),
        "sim_lower": published(row.simultaneous_lower),
        "sim_upper": published(row.simultaneous_upper),
        "anytime_lower": published(row.anytime_lower),
        "anytime_upper": published(row.anytime_upper),
        "rank_best": row.rank_best,
        "rank_worst": row.rank_worst,
        "place": row.place,
        "status": str(row.status),
        "bound": _bound(row),
        "reason": row.reason,
    }


def _gaps(fit: HeadlineFit) -> dict[str, dict[str, Any]]:
    """Every pair once: first agent to second agent to the points the first is above, with the gap's own interval."""
    names = sorted(row.agent for row in fit.agents if row.battles)
    gaps: dict[str, dict[str, Any]] = {}
    for one, other in itertools.combinations(names, 2):
        gap = fit.gap(one, other)
        gaps.setdefault(one, {})[other] = {
            "gap": published(gap.gap),
            "lower": published(gap.lower),
            "upper": published(gap.upper),
            "reason": gap.reason,
        }
    return gaps


def _bound(row: AgentRating) -> Mapping[str, Any] | None:
    if row.bound is None:
        return None
    return {"side": row.bound.side, "points": published(row.bound.points)}
