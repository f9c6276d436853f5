"""The agreement of independent judges as the methods page shows it: values with intervals, or why there are none."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from battles.models import Battle
from judging.agreement import NO_PAIRS, NO_VARIATION, Coefficient
from judging.agreement_reading import Agreement, final_votes, live_agreement

#: Fewer battles or lanes with labels to compare make a figure that jumps, and that tells how few they are.
FEWEST_ITEMS = 20
TOO_FEW = "too few have been judged by several to publish a figure"
#: Why a coefficient is undefined, in words.
REASONS = {
    NO_PAIRS: "no battle has been judged twice by independent judges yet",
    NO_VARIATION: "everybody has said the same so far, so chance agreement cannot be told apart",
}


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One coefficient. ``value`` None comes with a ``reason``; ends None where an interval is undefined."""

    label: str
    value: float | None
    lower: float | None
    upper: float | None
    reason: str


def agreement_rows() -> list[AgreementRow]:
    """What is published of the agreement of independent judges on live battles."""
    state = final_votes().aggregate(votes=Count("pk"), latest=Max("locked_at"))
    void = Battle.objects.filter(state=Battle.State.VOID).count()
    agreement = _agreement(state["votes"], state["latest"], void)
    return [
        _row("Krippendorff’s alpha of the votes, nominal", agreement.votes),
        _row("Equal votes on the same battle, percent", agreement.votes_equal, scale=100),
        _row("Krippendorff’s alpha of done, partly, not done, ordinal", agreement.completion),
    ]


@functools.lru_cache(maxsize=1)
def _agreement(votes: int, latest: datetime | None, void: int) -> Agreement:
    """Computed once while these three stay, which tell the set of votes: the bootstrap takes a while."""
    return live_agreement()


def _row(label: str, found: Coefficient, *, scale: float = 1) -> AgreementRow:
    if found.value is not None and found.pairable < FEWEST_ITEMS:
        return AgreementRow(label, None, None, None, TOO_FEW)
    # Finer figures could be traced back to counts.
    decimals = 2 if scale == 1 else 0
    value, lower, upper = (
        None if figure is None else round(figure * scale, decimals)
        for figure in (found.value, found.lower, found.upper)
    )
    reason = REASONS.get(found.reason, found.reason) if value is None else ""
    return AgreementRow(label, value, lower, upper, reason)
