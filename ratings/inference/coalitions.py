"""Whether judges act together: many accounts each of whom is too short to be told from an honest judge alone.

A campaign has a shape: its accounts vote for one agent (or against it), and elsewhere they do not vote, judge like
others, toss coins, or vote against whoever is above it. For every agent and shape the votes of all judges are held
against a mixture of honest judges and members. The mixture's likelihood, averaged over the share of members, over that
of honest judges alone is an e-value: under honest judges its mean is one, so that it exceeds x with a chance of at most
1/x. The surest campaign is taken first, and another one only if it explains what those before it leave open. Then
judges are flagged from the likeliest member on, as long as few honest ones are to be expected among them.

Sources: Min and others 2025 (the shapes); Vovk and Wang 2021 (e-values); Dempster, Laird and Rubin 1977 (mixtures);
Efron 2010 (local false discovery rates).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers, sums_by
from ratings.estimators.comparisons import A_WINS, B_WINS, OUTCOMES, TIE
from ratings.inference.judge_fits import Sequences, outcome_chances
from ratings.inference.judge_likings import taste_nodes

Shape = Literal["nowhere_else", "honest_elsewhere", "coins_elsewhere", "coins_without_ties", "against_those_above"]

#: Chance that any campaign at all is seen among honest judges; few of them are flagged then.
CAMPAIGN_LEVEL = 0.05
#: Share of all judges who may be expected to be flagged though they are honest, where a campaign is seen.
MEMBER_LEVEL = 0.011
#: Whoever is less likely a member than this is left alone.
LIKELY = 0.7
#: A member does something else in one of so many votes: clicks slip, and nobody recognises an agent each time.
LAPSE = 0.03
#: Shapes and sides that are looked for, for each agent.
SHAPES = 9
#: Shares of members that the e-value averages over.
MEMBERS = (0.01, 0.03, 0.1, 0.3)
#: Ratios are cut here, short of what a double holds; more would convince nobody further.
MOST_LOG_RATIO = 600.0
#: Steps of the mixture's fit; shares are then known to a few thousandths.
STEPS = 100


@dataclass(frozen=True, slots=True)
class Campaign:
    """One campaign that the votes show.

    Attributes:
        agent: whom it is about.
        side: 1 if the agent is pushed, -1 if it is held down.
        shape: what members do elsewhere.
        log_e: natural log of the e-value.
    """

    agent: int
    side: int
    shape: Shape
    log_e: float


def campaign_members(sequences: Sequences, taste: float) -> tuple[Floats, tuple[Campaign, ...]]:
    """Chances that judges are members, and the campaigns.

    Args:
        sequences: the votes of G judges against the fit.
        taste: standard deviation of an honest judge's liking of an agent, nats.

    Returns:
        (G,) chances, zero where no campaign is seen; the campaigns, the surest first, with agents numbered as in the
        sequences.
    """
    judges = len(sequences.clusters)
    convincing = math.log(len(sequences.strengths) * SHAPES / CAMPAIGN_LEVEL)
    found: list[tuple[Campaign, Floats]] = []
    for agent, side, shape, log_ratio in _log_ratios(sequences, taste):
        log_e = _log_e_value(log_ratio)
        if log_e > convincing:
            found.append((Campaign(agent, side, shape, log_e), log_ratio))
    return _explained(found, judges, convincing)


def likely_members(member: Floats) -> Flags:
    """(G,) the likeliest members, as many as leave the expected number of honest ones among them below the level."""
    order = np.argsort(-member, kind="stable")
    honest = np.cumsum(1 - member[order])
    flags = np.zeros(len(member), dtype=np.bool_)
    flags[order[honest <= MEMBER_LEVEL * len(member)]] = True
    return flags & (member >= LIKELY)


def _log_ratios(sequences: Sequences, taste: float) -> Iterator[tuple[int, int, Shape, Floats]]:
    """For every agent, side and shape the (G,) log-likelihoods of members over those of honest judges."""
    owner, a, b, outcome = sequences.owner, sequences.a, sequences.b, sequences.outcome
    strengths, judges = sequences.strengths, len(sequences.clusters)
    honest = _log_chances(sequences.chance, outcome)
    ties = float(np.clip((outcome == TIE).mean(), LAPSE, 1 - LAPSE))
    coins = np.log(np.where(outcome == TIE, ties, (1 - ties) / 2)) - honest
    firm = np.log(np.where(outcome == TIE, LAPSE, (1 - LAPSE) / 2)) - honest
    elsewhere: dict[Shape, Floats] = {
        "honest_elsewhere": np.zeros(len(owner)),
        "coins_elsewhere": coins,
        "coins_without_ties": firm,
    }
    everywhere = {shape: sums_by(owner, ratio, judges) for shape, ratio in elsewhere.items()}
    number = sums_by(owner, None, judges)
    loyal, other = math.log(1 - LAPSE), math.log(LAPSE / (OUTCOMES - 1))
    pair = a.astype(np.int64) * len(strengths) + b
    for agent, own in enumerate(_rows_by_agent(a, b, len(strengths))):
        judge, wins = owner[own], np.where(a[own] == agent, A_WINS, B_WINS)
        # Honest judges like an agent more or less than others do, and their votes on it go together.
        liked = _with_taste(sequences, own, a[own] == agent, taste) - sums_by(judge, honest[own], judges)
        share = float(np.clip(len(own) / len(owner), LAPSE, 1 - LAPSE))
        left_out = math.log(LAPSE / (1 - share))
        chosen = math.log((1 - LAPSE) / share) - left_out
        for side in (1, -1):
            wanted = wins if side > 0 else A_WINS + B_WINS - wins
            pushed = np.where(outcome[own] == wanted, loyal, other) - honest[own]
            for shape, ratio in elsewhere.items():
                yield agent, side, shape, everywhere[shape] + sums_by(judge, pushed - ratio[own], judges) - liked
            # Chance hands out the agent as often as all votes together show, and whoever waits for it skips the rest.
            yield agent, side, "nowhere_else", sums_by(judge, pushed + chosen, judges) + number * left_out - liked
        wanted_of_all = _against_those_above(agent, strengths).ravel()[pair]
        voted = np.where(outcome == wanted_of_all, loyal, other) - honest
        helped = sums_by(owner, np.where(wanted_of_all == TIE, 0, voted), judges)
        yield agent, 1, "against_those_above", helped - liked


def _log_chances(chance: Floats, outcome: Integers) -> Floats:
    return np.log(np.maximum(chance[np.arange(len(outcome)), outcome], np.finfo(float).tiny))


def _with_taste(sequences: Sequences, own: Integers, in_slot_a: Flags, taste: float) -> Floats:
    """(G,) log-likelihoods of honest judges' votes on an agent, whose liking of it is normal."""
    nodes, weights = taste_nodes(taste)
    judge, outcome = sequences.owner[own], sequences.outcome[own]
    turned = np.where(in_slot_a, 1.0, -1.0)
    logs = [
        sums_by(
            judge,
            _log_chances(outcome_chances(sequences.gap[own] + turned * liking, sequences.log_nu), outcome),
            len(sequences.clusters),
        )
        for liking in nodes
    ]
    return np.asarray(np.logaddexp.reduce(np.stack(logs) + np.log(weights)[:, None], axis=0))


def _rows_by_agent(a: Integers, b: Integers, agents: int) -> list[Integers]:
    """The rows of the votes each agent takes part in."""
    both = np.concatenate([a, b])
    order = np.argsort(both, kind="stable")
    ends = np.cumsum(np.bincount(both, minlength=agents))[:-1]
    return [rows % len(a) for rows in np.split(order, ends)]


def _against_those_above(agent: int, strengths: Floats) -> Integers:
    """(M, M) what helps an agent most where the row meets the column: its win, or the loss of the nearest agent above
    it; a tie where nothing does.
    """
    above = strengths > strengths[agent]
    nearer = strengths[:, None] < strengths[None, :]
    a_loses = above[:, None] & (~above[None, :] | nearer)
    wanted = np.where(a_loses, B_WINS, np.where(above[None, :], A_WINS, TIE))
    wanted[agent], wanted[:, agent] = A_WINS, B_WINS
    return wanted


def _log_e_value(log_ratio: Floats) -> float:
    """Natural log of the likelihood of a mixture over that of honest judges alone, averaged over shares of members.

    As a function of the share the logarithm is concave and begins at zero: where it begins downhill it stays below.
    """
    surplus = np.expm1(np.minimum(log_ratio, MOST_LOG_RATIO))
    if float(surplus.sum()) <= 0:
        return 0.0
    logs = [float(np.log1p(share * surplus).sum()) for share in MEMBERS]
    return float(np.logaddexp.reduce(logs)) - math.log(len(logs))


def _explained(
    candidates: list[tuple[Campaign, Floats]], judges: int, convincing: float
) -> tuple[Floats, tuple[Campaign, ...]]:
    """Chances of membership in the campaigns that each explain something, found one after the other."""
    member, base = np.zeros(judges), np.zeros(judges)
    taken: list[tuple[Campaign, Floats]] = []
    while candidates:
        sure = [_log_e_value(log_ratio - base) for _, log_ratio in candidates]
        surest = int(np.argmax(sure))
        if sure[surest] <= convincing:
            break
        campaign, log_ratio = candidates.pop(surest)
        taken.append((replace(campaign, log_e=sure[surest]), log_ratio))
        member, base = _mixed(np.stack([ratio for _, ratio in taken]))
    return member, tuple(campaign for campaign, _ in taken)


def _mixed(log_ratios: Floats) -> tuple[Floats, Floats]:
    """(G,) chances of being a member of any of C campaigns, and the log-likelihoods of the mixture over that of honest
    judges, by maximum likelihood of the campaigns' shares.
    """
    logs = np.concatenate([np.zeros((1, log_ratios.shape[1])), log_ratios])
    shares = np.full(len(logs), 1 / len(logs))
    belongs = np.empty_like(logs)
    total = np.zeros(logs.shape[1])
    for _ in range(STEPS):
        weighted = logs + np.log(np.maximum(shares, np.finfo(float).tiny))[:, None]
        total = np.logaddexp.reduce(weighted, axis=0)
        belongs = np.exp(weighted - total)
        shares = belongs.mean(axis=1)
    return np.asarray(1 - belongs[0]), np.asarray(total)
