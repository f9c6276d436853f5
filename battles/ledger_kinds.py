"""Changes of the roster, and promises, enter the ledger."""

from battles.affiliation import ACTION as AFFILIATE
from battles.merges import MERGE, UNMERGE
from battles.models import Agent
from battles.preregistrations import ACTION as PREREGISTERED
from battles.preregistrations import RESULT, contents
from governance.ledger.kinds import LedgerKind, register_ledger_kind
from governance.models import JournalEntry

_CAME_OUT = "A comparison that was promised reached its size, and what came out was read."


def _joined(journal: JournalEntry) -> str:
    return f'Agent "{journal.subject}" joined the roster, pinned to {journal.detail.get("version", "a version")}.'


def _leaves(journal: JournalEntry) -> str:
    cause = journal.detail.get("cause", "")
    why = f", because {Agent.Cause(cause).label}" if cause in Agent.Cause else ""
    # The reason of a retirement is published; of other changes it is the operators' own.
    return f'Agent "{journal.subject}" was given notice to leave the draw{why}. {journal.reason}'.rstrip()


def _moved(journal: JournalEntry) -> str:
    since = journal.detail.get("effective_from") or "since ever"
    alias, agent, source = (journal.detail.get(name, "") for name in ("alias", "agent", "source"))
    return f'"{alias}" stands for agent "{agent}", from {since}. Source: {source}'


def _merged(journal: JournalEntry) -> str:
    into = journal.detail.get("into", "")
    return f'Agent "{journal.subject}" counts in the row of "{into}" from now on. {journal.reason}'.rstrip()


def _parted(journal: JournalEntry) -> str:
    into = journal.detail.get("into", "")
    return f'Agent "{journal.subject}" counts apart from "{into}" again. {journal.reason}'.rstrip()


def _has_stake(journal: JournalEntry) -> str:
    since = journal.detail.get("affiliated_from", "")
    words = f'The operator has a stake in agent "{journal.subject}": not drawn and not ranked from {since} on.'
    return f"{words} {journal.reason}".rstrip()


def _promised(journal: JournalEntry) -> str:
    return f"A comparison by {journal.detail.get('metric', '')} was promised before its first battle."


register_ledger_kind(LedgerKind("battles:agent:roster", "an agent was put on the roster", told=_joined))
register_ledger_kind(LedgerKind("battles:agent:retire", "an agent was retired", detail=("cause",), told=_leaves))
register_ledger_kind(LedgerKind(MERGE, "versions were joined", detail=("into",), told=_merged))
register_ledger_kind(LedgerKind(UNMERGE, "joined versions were parted", detail=("into",), told=_parted))
register_ledger_kind(LedgerKind(AFFILIATE, "the operator has a stake in an agent", told=_has_stake))
register_ledger_kind(LedgerKind("battles:alias:enter", "a moving name stands for another agent", told=_moved))
register_ledger_kind(
    LedgerKind(
        PREREGISTERED,
        "a comparison was promised before its first battle",
        detail=("metric", "size"),
        contents=contents,
        told=_promised,
    )
)
register_ledger_kind(LedgerKind(RESULT, "what came of a promised comparison was read", told=lambda journal: _CAME_OUT))
