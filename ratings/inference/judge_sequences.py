"""Whether a judge's votes are those of somebody who judges what they see, without knowing whose it is.

Four questions to the sequence of every judge, each against the fit of everybody else's votes:

``surprise``
    Are the votes together too improbable? Fisher's combination of the votes' p-values, looked at after fixed numbers of
    votes and corrected for the looks. It finds coins and contrarians.
``liking``
    Does one agent get more, or less, than it earns from others, and by more than judges' tastes usually differ? By
    agent, adjusted over all agents. It finds those who vote for one agent.
``choice``
    Does one agent take part in more of the votes than chance hands out? A judge who sees no names cannot choose
    agents, so that a choice shows that they know them. It needs no model of the outcomes.
``member``
    Do many judges together vote as a campaign would, and is this judge one of them? (:mod:`.coalitions`.) It finds
    accounts who are each too short to be told from honest judges.

The fit counts one voice per judge and agent, so that accounts who vote on nothing but one agent do not become the
standard they are held against; a judge's own votes are taken out to first order; judges who were flagged leave the
fit, and all are asked again. What is found is improbable voting, for an operator to look at, and never proof.

Sources: Fisher 1932, section 21.1 (combination); Holm 1979; Hoeffding 1956 (a binomial bounds what varies from draw to
draw); Davidson 1970 for the probabilities of ties.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special, stats

from ratings.estimators.arrays import Flags, Floats, Integers, sums_by
from ratings.estimators.comparisons import Comparisons
from ratings.inference.coalitions import Campaign, campaign_members, likely_members
from ratings.inference.judge_fits import Sequences, sequences_against_others
from ratings.inference.judge_likings import extra_variance, likings

#: Numbers of votes after which a sequence is looked at.
LOOKS = (10, 25, 60, 150, 400, 1000)
#: Chances that an honest judge is flagged, over all looks and agents; with that of coalitions, two in a hundred.
SURPRISE_LEVEL = 0.003
LIKING_LEVEL = 0.005
CHOICE_LEVEL = 0.001
#: Fewer votes show no choice.
FEWEST_TO_CHOOSE = 5
#: Flagged judges leave the fit and all are asked again, at most so often.
ROUNDS = 5
#: A variance below this is what rounding leaves of none.
ROUNDING = 1e-9
#: Counts of a block of judges by agents.
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class JudgeSequences:
    """Tests of G judges; p-values are of the judge alone, adjusted over looks and agents.

    Attributes:
        judge: (G,) their indices, ascending.
        votes: (G,) votes on agents that are rated.
        surprise: (G,) p-value of the sequence.
        liking: (G,) smallest p-value over agents.
        liked: (G,) that agent; -1 without a test.
        side: (G,) 1 where it gets more than it earns, -1 where less.
        choice: (G,) smallest p-value over agents.
        chosen: (G,) that agent; -1 without a test.
        member: (G,) chance of being a member of a campaign; zero where none is seen.
        campaigns: the campaigns that are seen, the surest first.
        taste: standard deviation of honest judges' liking of an agent, nats, as estimated.
        rounds: how often all were asked.
    """

    judge: Integers
    votes: Integers
    surprise: Floats
    liking: Floats
    liked: Integers
    side: Integers
    choice: Floats
    chosen: Integers
    member: Floats
    campaigns: tuple[Campaign, ...]
    taste: float
    rounds: int

    def flagged(self) -> Integers:
        """Indices of the judges whom an operator should look at, ascending."""
        return self.judge[self.flags()]

    def flags(self) -> Flags:
        """(G,) whether any of the four tests speaks against the judge."""
        improbable = (self.surprise < SURPRISE_LEVEL) | (self.liking < LIKING_LEVEL)
        return np.asarray(improbable | (self.choice < CHOICE_LEVEL) | likely_members(self.member), dtype=np.bool_)


def judge_sequences(votes: Comparisons, *, period: Integers | None = None) -> JudgeSequences:
    """Test every judge.

    Args:
        votes: n comparisons of M agents, in the order of time.
        period: (n,) index of the time in which each vote was cast, where agents joined or left in between; chance
            hands out agents evenly within a period. One period for all by default.

    Raises:
        ValueError: periods do not fit the votes.
    """
    if period is not None and period.shape != (len(votes),):
        raise ValueError(f"one period a vote is needed: {len(votes)}, not an array of shape {period.shape}")
    out: Integers = np.empty(0, np.int64)
    found = _untested(votes)
    for rounds in range(1, ROUNDS + 1):
        found = replace(_asked(votes, period, np.isin(votes.judge, out)), rounds=rounds)
        flagged = np.union1d(out, found.flagged())
        if len(flagged) == len(out):
            break
        out = flagged
    return found


def _asked(votes: Comparisons, period: Integers | None, out: Flags) -> JudgeSequences:
    """One round: all judges against the fit of the votes that are not ``out``."""
    found = _untested(votes)
    sequences = sequences_against_others(votes, out)
    if sequences is not None:
        place = np.searchsorted(found.judge, sequences.clusters.ids)
        found.votes[place] = sequences.clusters.sizes
        found.surprise[place] = _surprise(sequences)
        cells, taste = likings(sequences)
        found.liking[place], found.liked[place], found.side[place] = cells
        member, campaigns = campaign_members(sequences, taste)
        campaigns = tuple(replace(seen, agent=int(sequences.members[seen.agent])) for seen in campaigns)
        found.member[place] = member
        found = replace(found, taste=taste, campaigns=campaigns)
    choice, chosen = _choices(votes, np.searchsorted(found.judge, votes.judge), len(found.judge), period, out)
    return replace(found, choice=choice, chosen=chosen)


def _untested(votes: Comparisons) -> JudgeSequences:
    judges = np.unique(votes.judge)
    size = len(judges)
    return JudgeSequences(
        judge=judges,
        votes=np.zeros(size, np.int64),
        surprise=np.ones(size),
        liking=np.ones(size),
        liked=np.full(size, -1),
        side=np.zeros(size, np.int64),
        choice=np.ones(size),
        chosen=np.full(size, -1),
        member=np.zeros(size),
        campaigns=(),
        taste=0.0,
        rounds=0,
    )


def _surprise(sequences: Sequences) -> Floats:
    """(G,) p-values over all looks.

    A vote's p-value is the chance of an outcome no likelier than the one seen. It is discrete, so that Fisher's sum is
    held against a gamma distribution with its own exact mean and variance in place of a chi-square.
    """
    chance, rows = sequences.chance, np.arange(len(sequences.gap))
    tail = np.where(chance[:, None, :] <= chance[:, :, None] * (1 + 1e-9), chance[:, None, :], 0).sum(axis=2)
    score = -2 * np.log(np.minimum(1.0, np.maximum(tail, np.finfo(float).tiny)))
    mean = (chance * score).sum(axis=1)
    variance = (chance * np.square(score)).sum(axis=1) - np.square(mean)
    seen = score[rows, sequences.outcome]
    starts, sizes = sequences.clusters.starts[:-1], sequences.clusters.sizes
    surplus, expected, spread = (np.concatenate(([0.0], np.cumsum(column))) for column in (seen - mean, mean, variance))
    ends = starts + sizes
    extra = extra_variance(surplus[ends] - surplus[starts], spread[ends] - spread[starts])
    smallest = np.ones(len(sizes))
    looks = sum((sizes >= look).astype(np.int64) for look in LOOKS)
    for look in LOOKS:
        there = np.flatnonzero(sizes >= look)
        first, last = starts[there], starts[there] + look
        middle, own = expected[last] - expected[first], spread[last] - spread[first]
        own = own + extra * np.square(own)
        total = middle + surplus[last] - surplus[first]
        # Votes between equals all are as likely as each other: nothing among them can surprise.
        varies = own > ROUNDING
        there, middle, own, total = there[varies], middle[varies], own[varies], total[varies]
        p_value = special.gammaincc(middle**2 / own, np.maximum(0, total) * middle / own)
        smallest[there] = np.minimum(smallest[there], p_value)
    return np.minimum(1.0, smallest * np.maximum(1, looks))


def _choices(
    votes: Comparisons, owner: Integers, judges: int, period: Integers | None, out: Flags
) -> tuple[Floats, Integers]:
    """((G,) smallest adjusted p-value, its agent): agents that take part in too many of a judge's votes.

    What chance hands out is read off the votes of all who are not flagged, a judge's own among them, which can only
    hide a choice. Where it differs between periods, the binomial at the mean is at least as spread as the truth.
    """
    m = votes.agents
    when = np.zeros(len(votes), np.int64) if period is None else period.astype(np.int64)
    periods = int(when.max()) + 1 if len(when) else 1
    counted = when[~out]
    taking_part = sums_by(counted * m + votes.a[~out], None, periods * m)
    taking_part += sums_by(counted * m + votes.b[~out], None, periods * m)
    in_period = np.maximum(1.0, sums_by(counted, None, periods))
    share = taking_part.reshape(periods, m) / in_period[:, None]
    smallest, chosen = np.ones(judges), np.full(judges, -1)
    number = sums_by(owner, None, judges)
    block = max(1, BLOCK // m)
    order = np.argsort(owner, kind="stable")
    ends = np.concatenate(([0], np.cumsum(number))).astype(np.int64)
    for first in range(0, judges, block):
        last = min(first + block, judges)
        rows = order[ends[first] : ends[last]]
        home = owner[rows] - first
        seen = sums_by(home * m + votes.a[rows], None, (last - first) * m)
        seen += sums_by(home * m + votes.b[rows], None, (last - first) * m)
        seen = seen.reshape(-1, m)
        spent = sums_by(home * periods + when[rows], None, (last - first) * periods).reshape(-1, periods)
        own = np.maximum(1.0, number[first:last, None])
        expected = np.clip(spent @ share / own, 0, 1)
        p_value = stats.binom.sf(seen - 1, own, expected)
        p_value[number[first:last] < FEWEST_TO_CHOOSE] = 1
        agent = p_value.argmin(axis=1)
        smallest[first:last] = np.minimum(1.0, p_value[np.arange(last - first), agent] * m)
        chosen[first:last] = np.where(number[first:last] < FEWEST_TO_CHOOSE, -1, agent)
    return smallest, chosen
