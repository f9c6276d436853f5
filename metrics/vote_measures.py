"""Computations over votes: of agents, of judging, and of how the votes are spread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metrics.arithmetic import Sums, agreement_of, effective_judges, median_of
from metrics.computation import Computation, Readings
from metrics.lane_measures import reading_of_share
from metrics.reading import NO_DATA, Reading, Why
from metrics.votes import A_WINS, B_WINS, BOTH_BAD, TIE, Votes
from ratings.eligibility import Reason
from ratings.estimators.arrays import Flags, Floats, Integers, sums_by

if TYPE_CHECKING:
    from metrics.source import Source

#: Of a vote, whether it is in the denominator and in the numerator, from its outcome as the agent sees it.
Rule = Callable[[Integers], tuple[Flags, Flags]]

#: Focused time, and share of the steps opened, below which a vote is very fast.
FAST_SECONDS, FAST_OPENED = 15, 0.25
#: Two agents have met with so many rated votes.
MET = 10


def clustered(counted: Floats, over: Floats, cluster: Integers) -> Sums:
    """Sums over clusters of rows that are not sorted by them."""
    if not over.size:
        return Sums(0, 0, 0, 0, 0, 0)
    _, place = np.unique(cluster, return_inverse=True)
    length = int(place.max()) + 1
    return Sums.of(sums_by(place, counted, length), sums_by(place, over, length))


def vote_share(rule: Rule) -> Computation:
    """A share of the rated votes on each agent's battles; judges are clusters."""

    def run(source: Source) -> Readings:
        agent, judge, outcome = source.votes.sides
        over, counted = (column.astype(float) for column in rule(outcome))
        names = source.votes.corpus.agents
        found = {}
        for number in np.unique(agent):
            own = agent == number
            sums = clustered(counted[own], over[own], judge[own])
            found[names[int(number)]] = reading_of_share(sums, size=sums.n)
        return source.of_agents(found)

    return Computation(run)


def preferred(outcome: Integers) -> tuple[Flags, Flags]:
    return np.isin(outcome, (A_WINS, B_WINS)), outcome == A_WINS


def tied(outcome: Integers) -> tuple[Flags, Flags]:
    return np.ones(outcome.shape, dtype=bool), outcome == TIE


def both_bad(outcome: Integers) -> tuple[Flags, Flags]:
    return np.ones(outcome.shape, dtype=bool), outcome == BOTH_BAD


def share_of_votes(
    columns: Callable[[Votes], tuple[Integers | Flags | Floats, Integers | Flags | Floats, Integers]],
) -> Computation:
    """A share over votes of the arena: what is counted, what it is counted over, and the judge of each row."""

    def run(source: Source) -> Readings:
        counted, over, judge = columns(source.votes)
        sums = clustered(np.asarray(counted, dtype=float), np.asarray(over, dtype=float), judge)
        return {None: reading_of_share(sums, size=float(np.count_nonzero(over)))}

    return Computation(run)


def slot_a_wins(votes: Votes) -> tuple[Flags, Flags, Integers]:
    return votes.outcomes == A_WINS, np.isin(votes.outcomes, (A_WINS, B_WINS)), votes.judges


def with_a_reason(votes: Votes) -> tuple[Integers, Flags, Integers]:
    given = votes.look("reason")[votes.rated]
    return given, np.ones(given.shape, dtype=bool), votes.judges


def viewed(votes: Votes) -> tuple[Integers, Integers, Integers]:
    """Steps opened of those on offer, of votes where it was measured."""
    opened, offered = votes.look("opened")[votes.rated], votes.look("offered")[votes.rated]
    measured = opened >= 0
    offered = np.where(measured, offered, 0)
    return np.minimum(np.where(measured, opened, 0), offered), offered, votes.judges


def very_fast(votes: Votes) -> tuple[Flags, Flags, Integers]:
    """Votes cast under the floor, of those where time or steps were measured."""
    focus, opened = votes.look("focus_ms")[votes.cast], votes.look("opened")[votes.cast]
    offered = votes.look("offered")[votes.cast]
    measured = (focus >= 0) | (opened >= 0)
    hasty = (focus >= 0) & (focus < 1000 * FAST_SECONDS)
    blind = (opened >= 0) & (opened < FAST_OPENED * offered)
    return measured & (hasty | blind), measured, votes.corpus.judge[votes.cast]


def counted_votes(votes: Votes) -> tuple[Flags, Flags, Integers]:
    rated = votes.rated[votes.cast]
    return rated, np.ones(rated.shape, dtype=bool), votes.corpus.judge[votes.cast]


def rated_share() -> Computation:
    """Votes in the fit, and for staff how many each rule left out."""
    plain = share_of_votes(counted_votes)

    def run(source: Source) -> Readings:
        reading = plain.run(source)[None]
        reasons = source.votes.corpus.reason[source.votes.cast]
        detail = {reason.name.lower(): float((reasons == reason).sum()) for reason in Reason if reason != Reason.RATED}
        return {None: replace(reading, detail=detail)}

    return Computation(run)


def median_judge_seconds() -> Computation:
    """Median focused seconds of a rated vote; judges are clusters."""

    def run(source: Source) -> Readings:
        focus = source.votes.look("focus_ms")[source.votes.rated]
        seconds = focus[focus >= 0] / 1000
        if not seconds.size:
            return {None: Reading(reason=Why.NOT_MEASURED if focus.size else Why.NO_DATA)}
        ones = np.ones(seconds.size)
        judges = clustered(ones, ones, source.votes.judges[focus >= 0])
        found = median_of(seconds, judges.effective_clusters)
        assert found is not None
        return {None: Reading(found.value, found.lower, found.upper, over=float(seconds.size), size=seconds.size)}

    return Computation(run)


def alpha() -> Computation:
    """Krippendorff's alpha of the four answers."""

    def run(source: Source) -> Readings:
        patterns, items = np.unique(source.votes.answers_by_battle(), axis=0, return_counts=True)
        found = agreement_of(patterns, items.astype(float))
        if found.alpha is None:
            why = Why.NO_VARIATION if found.labels else Why.NO_DATA
            return {None: Reading(reason=why, over=found.labels, size=found.labels)}
        reason = Why.DEGENERATE_INTERVAL if found.lower is None else None
        return {
            None: Reading(found.alpha, found.lower, found.upper, over=found.labels, size=found.labels, reason=reason)
        }

    return Computation(run)


def raw_agreement() -> Computation:
    """Pairs of votes on one battle that are equal; battles are clusters."""

    def run(source: Source) -> Readings:
        answers = source.votes.answers_by_battle()
        said = answers.sum(axis=1)
        sums = Sums.of((answers * (answers - 1)).sum(axis=1) / 2, said * (said - 1) / 2)
        return {None: reading_of_share(sums, size=float(said[said >= 2].sum()))}

    return Computation(run)


def judges_worth() -> Computation:
    """How many equally busy judges the votes are worth."""

    def run(source: Source) -> Readings:
        judges = source.votes.judges
        if not judges.size:
            return {None: NO_DATA}
        votes = np.unique(judges, return_counts=True)[1].astype(float)
        return {None: Reading(effective_judges(votes), over=float(votes.sum()), size=float(votes.sum()))}

    return Computation(run)


def _labelled_battles(votes: Votes) -> tuple[Integers, Integers]:
    """Rated labels, and those of them that are the submitter's own, of each battle with any."""
    _, place = np.unique(votes.battles, return_inverse=True)
    length = int(place.max()) + 1 if place.size else 0
    own = votes.corpus.by_submitter[votes.rated].astype(float)
    return (
        np.bincount(place, minlength=length).astype(np.int64),
        np.bincount(place, own, minlength=length).astype(np.int64),
    )


def _of_battles(counted: Flags) -> Reading:
    ones = np.ones(counted.shape)
    return reading_of_share(Sums.of(counted.astype(float), ones), size=float(counted.size))


def self_judged() -> Computation:
    """Rated battles whose only labels are the submitter's own."""

    def run(source: Source) -> Readings:
        labels, own = _labelled_battles(source.votes)
        return {None: _of_battles((own > 0) & (own == labels))}

    return Computation(run)


def second_opinions() -> Computation:
    """Rated battles with two and more independent labels."""

    def run(source: Source) -> Readings:
        labels, own = _labelled_battles(source.votes)
        return {None: _of_battles(labels - own >= 2)}

    return Computation(run)


def pairs_met() -> Computation:
    """Pairs of active agents with enough rated votes."""

    def run(source: Source) -> Readings:
        active = [row.key for row in source.agents if row.active]
        pairs = len(active) * (len(active) - 1) // 2
        if not pairs:
            return {None: NO_DATA}
        corpus = source.votes.corpus
        number = {name: place for place, name in enumerate(corpus.agents)}
        votes = np.zeros((len(corpus.agents), len(corpus.agents)))
        np.add.at(votes, (corpus.agent_a[corpus.rated], corpus.agent_b[corpus.rated]), 1)
        places = [number[key] for key in active if key in number]
        met = (votes + votes.T)[np.ix_(places, places)] >= MET
        counted = int(np.triu(met, 1).sum())
        return {None: Reading(counted / pairs, counted=counted, over=pairs, size=pairs)}

    return Computation(run)
