"""What nobody could beat: an observer who knows the campaign, the true strengths and how tastes vary.

By the lemma of Neyman and Pearson (1933) no test of a judge's votes holds more accounts at the same share of honest
judges than their likelihood ratio does. Where this falls short of a target, the votes do not hold the evidence.
"""

from __future__ import annotations

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons
from ratings.estimators.seeded import SeededDraws
from ratings.steering.campaign import Arena, Mode, Votes

#: Tastes that are drawn to average an honest judge's likelihood over.
TASTES = 400
#: A likelihood of zero, for sums of logs.
NEVER = -1e9


def ceiling(arena: Arena, mode: Mode, votes: Votes, *, flagged: float, seed: int) -> float:
    """The largest share of colluding accounts that can be held from their votes alone.

    Args:
        arena, mode: the campaign.
        votes: what it left behind.
        flagged: share of honest judges that may be held with them.
        seed: of the tastes.
    """
    ratios = _log_ratios(arena, mode, votes, seed)
    honest = np.sort(ratios[: votes.honest])[::-1]
    spared = honest[int(flagged * votes.honest)]
    return float((ratios[votes.honest :] > spared).mean())


def _log_ratios(arena: Arena, mode: Mode, votes: Votes, seed: int) -> Floats:
    """(J,) log-likelihood of every judge's votes under the campaign over that under honest judging."""
    cast = votes.comparisons
    draws = SeededDraws(seed).normals(TASTES, arena.agents)
    liking = arena.strengths() + arena.taste * draws
    ratios = np.full(len(votes.calls), NEVER)
    target_share = float(_takes_part(cast.take(cast.judge < votes.honest), arena.target).mean())
    for judge in range(len(votes.calls)):
        own = cast.take(cast.judge == judge)
        gap = liking[:, own.a] - liking[:, own.b]
        wins = 1 / (1 + np.exp(-gap))
        by_taste = np.where(own.outcome == A_WINS, wins, 1 - wins) * (1 - arena.ties)
        by_taste = np.where(own.outcome == TIE, arena.ties, by_taste)
        honest = float(np.log(by_taste.prod(axis=1).mean()))
        rigged = _rigged(arena, mode, own, by_taste.mean(axis=0), target_share)
        if (rigged > 0).all():
            ratios[judge] = float(np.log(rigged).sum()) - honest
    return ratios


def _rigged(arena: Arena, mode: Mode, own: Comparisons, honest: Floats, target_share: float) -> Floats:
    """(n,) chances of the votes if their judge colludes; where it skips, relative to an honest judge's choice."""
    with_target = _takes_part(own, arena.target)
    for_target = _won_by(own, np.full(len(own), arena.target)).astype(np.float64)
    if mode == Mode.TARGET_ONLY:
        return np.where(with_target, for_target / target_share, 0.0)
    if mode == Mode.EVERYWHERE:
        elsewhere = np.where(own.outcome == TIE, arena.ties, (1 - arena.ties) / 2)
    elif mode == Mode.CAMOUFLAGED:
        elsewhere = honest
    else:
        # Agents are numbered from the best: the nearest above the target is the larger number below its own.
        low, high = np.minimum(own.a, own.b), np.maximum(own.a, own.b)
        rival = np.where(high < arena.target, high, low)
        other = np.where(rival == own.a, own.b, own.a)
        elsewhere = np.where(rival < arena.target, _won_by(own, other), honest)
    return np.where(with_target, for_target, elsewhere)


def _takes_part(votes: Comparisons, agent: int) -> Flags:
    return np.asarray((votes.a == agent) | (votes.b == agent))


def _won_by(votes: Comparisons, agent: Integers) -> Flags:
    return np.asarray(votes.outcome == np.where(votes.a == agent, A_WINS, B_WINS))
