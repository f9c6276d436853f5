"""Changes of trust enter the ledger: that one was made and which, not whose."""

from governance.ledger.kinds import LedgerKind, register_ledger_kind
from judging.models import TrustChange

for state in TrustChange.State:
    register_ledger_kind(LedgerKind(f"judging:judge:{state.value}", f"a judge became {state.label.lower()}"))
