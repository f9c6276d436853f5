"""What is disclosed of the rules themselves: every change of one that the ledger has."""

import json

from governance.disclosures import Cell, Disclosure, Sheet, register_disclosure
from governance.ledger.kinds import ledger_kinds
from governance.models import LedgerEntry

#: Changes of what is asked of people, of who races, and of who signs. How often somebody withdrew or was distrusted is
#: no rule, and numbers have pages of their own.
RULE_SOURCES = ("governance:consent_text:", "battles:agent:", "governance:ledger_key:", "judging:rubric:")
#: The newest ones; the ledger has all of them.
SHOWN = 40


def changes() -> Sheet:
    """Changes of rules, newest first, with the place in the ledger where each can be checked."""
    kinds = {action: kind.words for action, kind in ledger_kinds().items() if action.startswith(RULE_SOURCES)}
    entries = LedgerEntry.objects.filter(kind__in=kinds).order_by("-index")[:SHOWN]
    return Sheet(
        says=("Each change is an entry of the signed ledger, from where it cannot be taken out again.",),
        columns=("Entry", "Date", "What happened"),
        rows=tuple(
            (
                Cell(f"{entry.index}"),
                Cell(json.loads(entry.text)["at"][:10]),
                Cell(kinds[entry.kind][:1].upper() + kinds[entry.kind][1:]),
            )
            for entry in entries
        ),
        none="No rule has changed since the ledger began.",
    )


register_disclosure(Disclosure("changes", "Changes of rules", place=100, read=changes))
