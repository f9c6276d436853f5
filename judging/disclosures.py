"""What is disclosed of how improbable votes and judges are handled."""

from governance.disclosures import Cell, Disclosure, Sheet, register_disclosure
from judging.improbable_runs import CHOICE_SHARE, FALSE_ALARM, HASTE_PART, HASTE_SHARE, HORIZON, PANE_SHARE
from judging.trust import HOLD_DECIDED_WITHIN
from judging.trust_rule import CALLS_NEEDED, WINDOW, WORST_ACCURACY, wrong_mark_words


def anomalies() -> Sheet:
    """The rules by which votes are put aside and judges are distrusted, and what follows."""
    rules = (
        ("Haste", f"given in less than {HASTE_PART:.0%} of the others’ median time", f"{HASTE_SHARE:.0%}"),
        ("One pane", "for the same pane, whoever raced there", f"{PANE_SHARE:.0%}"),
        ("One answer", "all tie, or all both bad", f"{CHOICE_SHARE:.0%}, or as often as the others"),
    )
    return Sheet(
        says=(
            "Votes in a row that a person who reads would hardly cast are put aside: they rate nobody until an "
            f"operator has looked at them, which is due within {HOLD_DECIDED_WITHIN.days} days. Nobody is banned by a "
            "program.",
        ),
        columns=("Run", "Votes that are all", "Taken as honest up to"),
        rows=tuple((Cell(name), Cell(votes), Cell(honest)) for name, votes, honest in rules),
        more=(
            f"A run is put aside when an honest judge would show one among {HORIZON:,} votes with a chance of "
            f"{FALSE_ALARM:.1%} at most.",
            f"Apart from that, a judge is distrusted when fewer than {WORST_ACCURACY:.0%} of their last {WINDOW} "
            f"scored calls were right, after {CALLS_NEEDED} at the least. {wrong_mark_words()}",
        ),
    )


register_disclosure(Disclosure("anomalies", "Improbable votes", place=70, read=anomalies))
