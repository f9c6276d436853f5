"""What is disclosed of the rules themselves: every change of one that the ledger has."""

from governance.disclosures import Cell, Disclosure, Sheet, register_disclosure
from governance.ledger.changelog import changelog

#: The newest ones; the ledger has all of them.
SHOWN = 40


def changes() -> Sheet:
    """Changes of rules, newest first, with the place in the ledger where each can be checked."""
    return Sheet(
        says=("Each change is an entry of the signed ledger, from where it cannot be taken out again.",),
        columns=("Entry", "Date", "What happened"),
        rows=tuple(
            (Cell(f"{change.index}"), Cell(f"{change.at:%Y-%m-%d}"), Cell(change.words))
            for change in changelog(newest=SHOWN)
        ),
        none="No rule has changed since the ledger began.",
    )


register_disclosure(Disclosure("changes", "Changes of rules", place=100, read=changes))
