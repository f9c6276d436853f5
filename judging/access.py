"""Who may read a battle. Everyone else gets the answer for a battle that does not exist."""

import uuid

from battles.models import Battle
from governance.errors import NotFound
from governance.models import Judge


class NoSuchBattle(NotFound):
    code = "no_such_battle"

    def __init__(self) -> None:
        super().__init__("There is no battle at this address, or it is not yours to read.")


def readable_battle(battle_id: uuid.UUID, viewer: Judge | None) -> Battle:
    """The battle, for its submitter or, when it is a practice battle, for anybody.

    Raises:
        NoSuchBattle: it does not exist or is not this viewer's to read; the two cannot be told apart.
    """
    battle = Battle.objects.select_related("task").filter(pk=battle_id).first()
    if battle is None or not may_read(battle, viewer):
        raise NoSuchBattle
    return battle


def may_read(battle: Battle, viewer: Judge | None) -> bool:
    """Practice battles are public pages; a live battle is its submitter's; gold battles are nobody's yet."""
    if battle.kind == Battle.Kind.PRACTICE:
        return True
    return battle.kind == Battle.Kind.LIVE and viewer is not None and battle.task.judge_id == viewer.pk
