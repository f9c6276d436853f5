"""Computations over votes: of agents, of judging, and of how the votes are spread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metrics.arithmetic import Sums, agreement_of, quantile_shares
from metrics.computation import Computation, Needs, Readings
from metrics.counted_votes import A_WON, B_WON, BAD, CAST, RATED, TIED
from metrics.lane_measures import reading_of_share
from metrics.reading import NO_DATA, Reading, Why
from metrics.sums import sums_of
from ratings.eligibility import Reason
from ratings.estimators.arrays import Floats

if TYPE_CHECKING:
    from metrics.source import Source

#: Focused time, and share of the steps opened, below which a vote is very fast.
FAST_SECONDS, FAST_OPENED = 15, 0.25
#: Two agents have met with so many rated votes.
MET = 10

_VOTES = Needs(votes=True)
#: How often each answer was given to a battle, from independent judges; and of how many battles that is true.
_ANSWERS = f"""
    SELECT b_won, tied, a_won, bad, count(*) FROM (
        SELECT count(*) FILTER (WHERE {B_WON}) AS b_won, count(*) FILTER (WHERE {TIED}) AS tied,
               count(*) FILTER (WHERE {A_WON}) AS a_won, count(*) FILTER (WHERE {BAD}) AS bad
        FROM counted_votes WHERE {RATED} AND NOT own GROUP BY battle
    ) answered GROUP BY b_won, tied, a_won, bad ORDER BY b_won, tied, a_won, bad
"""  # noqa: S608


def vote_share(counted: str, over: str) -> Computation:
    """A share of the rated votes on each agent's battles; judges are clusters.

    Args:
        counted, over: over ``won``, ``lost``, ``tied`` and ``bad``: how many of a judge's votes say so of the agent.
    """

    def run(source: Source) -> Readings:
        found = source.vote_sums[counted, over]
        return source.of_agents({agent: reading_of_share(sums, size=sums.n) for agent, sums in found.items()})

    return Computation(run, Needs(votes=True, vote_pairs=((counted, over),)))


def share_of_votes(counted: str, over: str = "TRUE", among: str = RATED) -> Computation:
    """A share over votes of the arena; judges are clusters.

    Args:
        counted, over: how much of a vote is counted, and over how much of it: a condition, or a number.
        among: which votes.
    """
    x, n = f"sum(({counted})::int)", f"sum(({over})::int)"
    statement = f"""SELECT {sums_of("x", "n")}, coalesce(sum(votes), 0) FROM (
        SELECT {x} AS x, {n} AS n, count(*) FILTER (WHERE ({over})::int > 0) AS votes
        FROM counted_votes WHERE {among} GROUP BY judge) AS judged"""  # noqa: S608

    def run(source: Source) -> Readings:
        source.counted_votes()
        *sums, votes = source.ask(statement)[0]
        return {None: reading_of_share(Sums(*sums), size=float(votes))}

    return Computation(run, _VOTES)


SLOT_A_WINS = share_of_votes(A_WON, f"{A_WON} OR {B_WON}")
WITH_A_REASON = share_of_votes("reasoned")
#: Steps opened of those on offer, of votes where it was measured.
VIEWED = share_of_votes(
    "CASE WHEN opened IS NULL THEN 0 ELSE least(opened, offered) END",
    "CASE WHEN opened IS NULL THEN 0 ELSE offered END",
)
#: Votes cast under the floor, of those where time or steps were measured.
VERY_FAST = share_of_votes(
    f"coalesce(focus_ms < {1000 * FAST_SECONDS}, FALSE) OR coalesce(opened < {FAST_OPENED} * offered, FALSE)",
    "focus_ms IS NOT NULL OR opened IS NOT NULL",
    CAST,
)


def rated_share() -> Computation:
    """Votes in the fit, and for staff how many each rule left out."""
    plain = share_of_votes(RATED, among=CAST)

    def run(source: Source) -> Readings:
        reading = plain.run(source)[None]
        left_out = dict(source.ask(f"SELECT reason, count(*) FROM counted_votes WHERE {CAST} GROUP BY reason"))  # noqa: S608
        detail = {reason.name.lower(): float(left_out.get(reason, 0)) for reason in Reason if reason != Reason.RATED}
        return {None: replace(reading, detail=detail)}

    return Computation(run, _VOTES)


def median_judge_seconds() -> Computation:
    """Median focused seconds of a rated vote; judges are clusters."""
    sums = f"""SELECT {sums_of("n", "n")}, coalesce(sum(votes), 0) FROM (
        SELECT count(focus_ms) AS n, count(*) AS votes FROM counted_votes WHERE {RATED} GROUP BY judge) AS judged"""  # noqa: S608
    middle = f"""SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY focus_ms),
        percentile_disc(ARRAY[%(low)s, %(high)s]::float8[]) WITHIN GROUP (ORDER BY focus_ms)
        FROM counted_votes WHERE {RATED}"""  # noqa: S608

    def run(source: Source) -> Readings:
        source.counted_votes()
        *found, votes = source.ask(sums)[0]
        judges = Sums(*found)
        if not judges.n:
            return {None: Reading(reason=Why.NOT_MEASURED if votes else Why.NO_DATA)}
        low, high = quantile_shares(0.5, judges.effective_clusters)
        value, (lower, upper) = source.ask(middle, {"low": low, "high": high})[0]
        return {None: Reading(value / 1000, lower / 1000, upper / 1000, over=judges.n, size=judges.n)}

    return Computation(run, _VOTES)


def _answers(source: Source) -> tuple[Floats, Floats]:
    """(P, 4) how often each answer was given to a battle by independent judges, and (P,) to how many battles so."""
    source.counted_votes()
    rows = np.array(source.ask(_ANSWERS), dtype=float).reshape(-1, 5)
    return rows[:, :4], rows[:, 4]


def alpha() -> Computation:
    """Krippendorff's alpha of the four answers."""

    def run(source: Source) -> Readings:
        found = agreement_of(*_answers(source))
        if found.alpha is None:
            why = Why.NO_VARIATION if found.labels else Why.NO_DATA
            return {None: Reading(reason=why, over=found.labels, size=found.labels)}
        reason = Why.DEGENERATE_INTERVAL if found.lower is None else None
        return {
            None: Reading(found.alpha, found.lower, found.upper, over=found.labels, size=found.labels, reason=reason)
        }

    return Computation(run, _VOTES)


def raw_agreement() -> Computation:
    """Pairs of votes on one battle that are equal; battles are clusters."""

    def run(source: Source) -> Readings:
        answers, battles = _answers(source)
        said = answers.sum(axis=1)
        sums = Sums.of((answers * (answers - 1)).sum(axis=1) / 2, said * (said - 1) / 2, battles)
        return {None: reading_of_share(sums, size=float((said * battles)[said >= 2].sum()))}

    return Computation(run, _VOTES)


def judges_worth() -> Computation:
    """How many equally busy judges the votes are worth: 1 over the sum of their squared shares."""
    statement = f"""SELECT {sums_of("n", "n")} FROM (
        SELECT count(*) AS n FROM counted_votes WHERE {RATED} GROUP BY judge) AS judged"""  # noqa: S608

    def run(source: Source) -> Readings:
        source.counted_votes()
        votes = Sums(*source.ask(statement)[0])
        if not votes.n:
            return {None: NO_DATA}
        return {None: Reading(votes.effective_clusters, over=votes.n, size=votes.n)}

    return Computation(run, _VOTES)


def _share_of_battles(counted: str) -> Computation:
    """A share of the battles with a rated label.

    Args:
        counted: a condition on ``labels``, rated ones of the battle, and ``own``, those of them by its submitter.
    """
    statement = f"""SELECT {sums_of("x", "1")} FROM (
        SELECT ({counted})::int AS x FROM (
            SELECT count(*) AS labels, count(*) FILTER (WHERE own) AS own
            FROM counted_votes WHERE {RATED} GROUP BY battle
        ) AS labelled) AS battles"""  # noqa: S608

    def run(source: Source) -> Readings:
        source.counted_votes()
        sums = Sums(*source.ask(statement)[0])
        return {None: reading_of_share(sums, size=sums.n)}

    return Computation(run, _VOTES)


def self_judged() -> Computation:
    """Rated battles whose only labels are the submitter's own."""
    return _share_of_battles("own = labels")


def second_opinions() -> Computation:
    """Rated battles with two and more independent labels."""
    return _share_of_battles("labels - own >= 2")


def pairs_met() -> Computation:
    """Pairs of active agents with enough rated votes."""
    statement = f"""SELECT count(*) FROM (
        SELECT FROM counted_votes WHERE {RATED} AND agent_a = ANY(%(active)s) AND agent_b = ANY(%(active)s)
        GROUP BY least(agent_a, agent_b), greatest(agent_a, agent_b) HAVING count(*) >= {MET}) AS met"""  # noqa: S608

    def run(source: Source) -> Readings:
        active = [row.key for row in source.agents if row.active]
        pairs = len(active) * (len(active) - 1) // 2
        if not pairs:
            return {None: NO_DATA}
        source.counted_votes()
        met = source.ask(statement, {"active": active})[0][0]
        return {None: Reading(met / pairs, counted=met, over=pairs, size=pairs)}

    return Computation(run, _VOTES)
