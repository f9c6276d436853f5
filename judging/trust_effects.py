"""What an operator's decision about judges would do to the ranks, worked out before it is made."""

from __future__ import annotations

from collections.abc import Callable, Collection

from governance.models import Judge
from judging.exclusions import Foreseen
from judging.trust import State, check_decision, trust_state

#: How the effect is worked out, of giving judges a state, for an actor.
Effect = Callable[[Collection[Judge], State, str], Foreseen]

_effects: list[Effect] = []


def register_trust_effect(effect: Effect) -> None:
    """Say how the effect of a change of trust is worked out, before anybody is suspended or reinstated."""
    _effects[:] = [effect]


def effect_of_trust(*, judges: Collection[Judge], state: State, actor: str) -> Foreseen:
    """What it would do to give these judges this state: suspended, or new again. Ratings have said how.

    Raises:
        Conflict: as suspending or reinstating them does.
    """
    for judge in judges:
        check_decision(trust_state(judge), state)
    return _effects[0](judges, state, actor)
