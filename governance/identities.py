"""What says who a judge is outside the corpus: accounts, bindings, sessions, tokens, links to exports.

Each app registers what it keeps. When a person takes everything back or asks to be forgotten, all of it is erased in
that transaction: a session, a token or a link made before opens nothing from then on.
"""

from collections.abc import Callable
from dataclasses import dataclass

from governance.models import Judge, RecoveryCode


@dataclass(frozen=True, slots=True)
class IdentityTrace:
    """One thing that leads from a person to a judge.

    Args:
        name: what it is, for people.
        erase: erase it for one judge. The second argument says whether the judge's labels stay and go on rating.
    """

    name: str
    erase: Callable[[Judge, bool], None]


def _erase_codes(judge: Judge, labels_stay: bool) -> None:
    RecoveryCode.objects.filter(judge=judge).delete()


_traces: dict[str, IdentityTrace] = {"recovery codes": IdentityTrace("recovery codes", _erase_codes)}


def register_identity_trace(trace: IdentityTrace) -> None:
    """Make something that says who a judge is go with them."""
    _traces[trace.name] = trace


def identity_traces() -> tuple[IdentityTrace, ...]:
    """Every trace, those of the highest app first: they are found through what lower apps keep."""
    return tuple(reversed(_traces.values()))


def erase_identity(judge: Judge, *, labels_stay: bool) -> None:
    """Erase all that says who a judge is, in the caller's transaction."""
    for trace in identity_traces():
        trace.erase(judge, labels_stay)
