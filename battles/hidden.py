"""Battles that nobody may see for now, as the apps above declare them: a reported one, say.

Such a battle is in no stock and is made nothing else of until it is decided.
"""

from collections.abc import Callable

from django.db.models import Exists, Q

_conditions: list[Callable[[], Exists]] = []


def register_hidden(condition: Callable[[], Exists]) -> None:
    """Keep battles that meet a condition out of every stock. Registering twice is registering once."""
    if condition not in _conditions:
        _conditions.append(condition)


def hidden() -> Q:
    """The condition on battles that are hidden; nothing meets it while no app declares one."""
    met = Q(pk__in=[])
    for condition in _conditions:
        met |= Q(condition())
    return met
