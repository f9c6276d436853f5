"""Who may read a battle. Everyone else gets the answer for a battle that does not exist."""

import uuid

from django.db.models import Exists, OuterRef, Q

from battles.models import Battle
from governance.errors import NotFound
from governance.models import Judge
from judging.models import Assignment, JudgeAccount, Report


class NoSuchBattle(NotFound):
    code = "no_such_battle"

    def __init__(self) -> None:
        super().__init__("There is no battle at this address, or it is not yours to read.")


def readable_by(viewer: Judge | None) -> Q:
    """The condition on battles that this viewer may read.

    - Practice battles are public pages, while no report hides them.
    - A live battle is its submitter's; once offered, it is also read by a signed-in judge who holds or has held a
      lease on it, while no report hides it.
    - Gold and calibration battles are read by the signed-in judges to whom they were handed out.
    """
    public = Q(kind=Battle.Kind.PRACTICE) & ~Q(under_report())
    if viewer is None:
        return public
    own = Q(kind=Battle.Kind.LIVE, task__judge=viewer)
    handed_out = Exists(Assignment.objects.filter(battle=OuterRef("pk"), judge=viewer)) & Exists(
        JudgeAccount.in_use().filter(judge=viewer)
    )
    shared = Q(kind=Battle.Kind.LIVE, offer__isnull=False) | Q(kind__in=[Battle.Kind.GOLD, Battle.Kind.CALIBRATION])
    return public | own | shared & Q(handed_out) & ~Q(under_report())


def under_report() -> Exists:
    """Whether a battle waits for an operator to look at a report."""
    return Exists(Report.objects.filter(battle=OuterRef("pk"), resolved_at__isnull=True))


def readable_battle(battle_id: uuid.UUID, viewer: Judge | None) -> Battle:
    """The battle, for whoever may read it.

    A battle that may not be read and one that does not exist are the same: no row of the same one statement.

    Raises:
        NoSuchBattle: it does not exist or is not this viewer's to read; the two cannot be told apart.
    """
    battle = Battle.objects.select_related("task").filter(readable_by(viewer), pk=battle_id).first()
    if battle is None:
        raise NoSuchBattle
    return battle


def may_read(battle: Battle, viewer: Judge | None) -> bool:
    """Whether :func:`readable_battle` would give this battle to this viewer."""
    return Battle.objects.filter(readable_by(viewer), pk=battle.pk).exists()
