"""Which labels rate, and why the others do not: rules on columns, in a stated order.

Source: ``40-ratings``, section 1. Every label gets exactly one reason, so the counts add up to the labels seen.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Reason(IntEnum):
    """Why a label does not rate. ``RATED`` is 0.

    The first that applies names it, in the order of the statements: a battle of joined versions comes after those that
    are not ranked.
    """

    RATED = 0
    NOT_LIVE = 1
    WITHDRAWN = 2
    NOT_RANKED = 3
    NO_TRAJECTORY = 4
    UNEQUAL_BUDGETS = 5
    IDENTITY_LEAKED = 6
    JUDGE_NOT_ADMISSIBLE = 7
    OUTRANKED = 8
    SELF_BATTLE = 9


#: A battle for one of these reasons is none of the board's; only such a one may have a single row on both sides.
OUTSIDE = (Reason.NOT_LIVE, Reason.WITHDRAWN, Reason.NOT_RANKED, Reason.SELF_BATTLE)


#: What each reason means, for the pages that count them.
REASON_WORDS = {
    Reason.NOT_LIVE: "the battle is not of a kind that rates on this board",
    Reason.WITHDRAWN: "the task or the label was withdrawn",
    Reason.NOT_RANKED: "an agent of the battle is not ranked on this board",
    Reason.NO_TRAJECTORY: "a lane never ran, or the battle is void",
    Reason.UNEQUAL_BUDGETS: "one side was granted more steps or time",
    Reason.IDENTITY_LEAKED: "visible text named a model, or could not be scanned",
    Reason.JUDGE_NOT_ADMISSIBLE: "the label or its judge is not admissible",
    Reason.OUTRANKED: "the submitter's own label, where an independent judge voted",
    Reason.SELF_BATTLE: "both agents are versions that were joined, so that the battle compares nothing",
}


def outrank_submitters(
    reasons: NDArray[np.int64], battles: NDArray[np.int64], by_submitter: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Drop a submitter's own label wherever an independent admissible one exists.

    Args:
        reasons: (n,) reason so far of each label.
        battles: (n,) dense battle number, 0 and up.
        by_submitter: (n,) whether the label is the submitter's own.

    Returns:
        (n,) reasons with :attr:`Reason.OUTRANKED` where the rule applies.
    """
    if reasons.size == 0:
        return reasons.copy()
    independent = (reasons == Reason.RATED) & ~by_submitter
    judged = np.zeros(int(battles.max()) + 1, dtype=bool)
    judged[battles[independent]] = True
    outranked = (reasons == Reason.RATED) & by_submitter & judged[battles]
    return np.where(outranked, int(Reason.OUTRANKED), reasons)


def label_weights(reasons: NDArray[np.int64], battles: NDArray[np.int64]) -> NDArray[np.float64]:
    """1/k for each of a battle's k rated labels, 0 for the others: a battle is one comparison."""
    if reasons.size == 0:
        return np.zeros(0)
    rated = reasons == Reason.RATED
    per_battle = np.bincount(battles[rated], minlength=int(battles.max()) + 1)
    weights = np.zeros(reasons.size)
    weights[rated] = 1.0 / per_battle[battles[rated]]
    return weights
