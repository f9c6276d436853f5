"""Changes of the roster enter the ledger."""

from governance.ledger.kinds import LedgerKind, register_ledger_kind

register_ledger_kind(LedgerKind("battles:agent:roster", "an agent was put on the roster"))
register_ledger_kind(LedgerKind("battles:agent:retire", "an agent was retired"))
