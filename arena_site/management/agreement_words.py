"""Agreement of judges as lines of text and as plain values, for the commands that read a round or a panel."""

from collections.abc import Iterator
from typing import Any

from judging.agreement import Coefficient
from judging.agreement_reading import Agreement

#: What each coefficient is called, in the order of printing.
COEFFICIENTS = (
    ("votes", "votes, Krippendorff's alpha"),
    ("votes_equal", "votes, equal"),
    ("completion", "completion, Krippendorff's alpha"),
)


def agreement_lines(agreement: Agreement) -> Iterator[str]:
    """One line for each coefficient, and one for each two judges."""
    for name, words in COEFFICIENTS:
        found: Coefficient = getattr(agreement, name)
        yield f"{words}: {_words(found)} ({found.pairable} judged twice or more)"
    for pair in agreement.kappas:
        value = f"undefined, {pair.reason}" if pair.value is None else f"{pair.value:.2f}"
        yield f"kappa of {pair.judge} and {pair.other}: {value} ({pair.common} in common)"


def missing_lines(missing: dict[str, int]) -> Iterator[str]:
    """One line for each judge who is still to judge something."""
    for judge, left in sorted(missing.items()):
        yield f"judge {judge} has {left} battle{'' if left == 1 else 's'} left"


def _words(found: Coefficient) -> str:
    if found.value is None:
        return f"undefined, {found.reason}"
    if found.lower is None or found.upper is None:
        return f"{found.value:.2f}"
    return f"{found.value:.2f} ({found.lower:.2f} to {found.upper:.2f})"


def agreement_row(agreement: Agreement) -> dict[str, Any]:
    """The same as plain values; what is undefined is null with the reason."""
    row: dict[str, Any] = {}
    for name, _ in COEFFICIENTS:
        found: Coefficient = getattr(agreement, name)
        row[name] = {
            "value": found.value,
            "lower": found.lower,
            "upper": found.upper,
            "reason": found.reason,
            "pairable": found.pairable,
        }
    row["kappas"] = [
        {
            "judges": [str(pair.judge), str(pair.other)],
            "common": pair.common,
            "value": pair.value,
            "reason": pair.reason,
        }
        for pair in agreement.kappas
    ]
    return row
