"""Calibration rounds: every judge of a group labels the same battles, and an operator reads how far they agree."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from battles.hidden import hidden
from battles.models import Battle
from governance.errors import ArenaError, Conflict
from governance.journal import record
from governance.models import Judge
from governance.withdrawals import leaving
from judging.agreement_reading import Agreement, agreement_of, final_votes
from judging.models import CalibrationRound, RoundBattle, RoundJudge, Vote
from judging.remarks import fits_a_line
from judging.rubric import current_rubric

#: With one judge there is nothing to agree on.
JUDGES_NEEDED = 2
#: A name stands on one line of a list.
NAME_MAX = 120


class RoundRefused(ArenaError):
    code = "round_refused"
    status = 422


@dataclass(frozen=True, slots=True)
class RoundReading:
    """A round as an operator reads it.

    Attributes:
        agreement: of the group's final votes.
        missing: judges and how many of the round's battles each has still to judge (:func:`still_to_judge`).
    """

    agreement: Agreement
    missing: dict[str, int]


@transaction.atomic
def start_round(
    *, name: str, battles: Collection[Battle], judges: Collection[Judge], actor: str, reason: str = ""
) -> CalibrationRound:
    """Take battles that nobody has judged into a round. They rate nobody and are no public pages from then on.

    The pool hands them to the judges of the group before anything else.

    Raises:
        RoundRefused: ``no_name``, ``bad_name``, ``too_few_judges``, ``no_battles``; ``judge_withdrew``: one of the
            group took everything back; ``not_usable``: a battle is a person's own task, or somebody has judged it.
    """
    if not name.strip():
        raise RoundRefused("A round needs a name.", code="no_name", field="name")
    if not fits_a_line(name.strip(), most=NAME_MAX):
        raise RoundRefused(f"A name has at most {NAME_MAX} visible characters.", code="bad_name", field="name")
    group = {judge.pk for judge in judges}
    if len(group) < JUDGES_NEEDED:
        raise RoundRefused("A round needs at least two judges.", code="too_few_judges", field="judges")
    if leaving(group):
        raise RoundRefused(
            "One of the judges took everything back, and is handed no more battles.",
            code="judge_withdrew",
            field="judges",
        )
    if not battles:
        raise RoundRefused("A round needs battles.", code="no_battles", field="battles")
    wanted = sorted(battle.pk for battle in battles)
    locked = list(Battle.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk"))
    if usable_battles().filter(pk__in=wanted).count() != len(locked):
        raise RoundRefused(
            "A round is made of practice or gold battles that nobody has judged; people's own tasks rate.",
            code="not_usable",
            field="battles",
        )
    started = CalibrationRound.objects.create(name=name.strip(), rubric=current_rubric(), started_by=actor)
    Battle.objects.filter(pk__in=wanted).update(kind=Battle.Kind.CALIBRATION)
    RoundBattle.objects.bulk_create(RoundBattle(round=started, battle=battle) for battle in locked)
    RoundJudge.objects.bulk_create(RoundJudge(round=started, judge_id=judge) for judge in sorted(group))
    record(
        actor=actor,
        action="judging:round:start",
        subject=str(started.pk),
        reason=reason,
        battles=[str(battle) for battle in wanted],
        judges=sorted(group),
    )
    return started


def usable_battles() -> QuerySet[Battle]:
    """What a round can be made of, the longest waiting first: practice and gold battles nobody has judged."""
    kinds = [Battle.Kind.PRACTICE, Battle.Kind.GOLD]
    usable = Battle.objects.filter(~hidden(), kind__in=kinds, state=Battle.State.VOTABLE)
    return usable.select_related("task").order_by("votable_at", "pk")


def longest_waiting(number: int) -> list[Battle]:
    """So many battles that a round can be made of, for whoever is not to know which.

    Raises:
        RoundRefused: ``too_few_battles``: not so many wait.
    """
    found = list(usable_battles()[:number])
    if len(found) < number:
        raise RoundRefused(
            f"Only {len(found)} practice or gold battles wait for their first judge.",
            code="too_few_battles",
            field="battles",
        )
    return found


@transaction.atomic
def end_round(*, calibration_round: CalibrationRound, actor: str, reason: str = "") -> CalibrationRound:
    """Hand out no more of a round.

    Raises:
        Conflict: ``already_ended``.
    """
    ended = CalibrationRound.objects.select_for_update(no_key=True).get(pk=calibration_round.pk)
    if ended.ended_at is not None:
        raise Conflict("This round has ended already.", code="already_ended")
    ended.ended_at = timezone.now()
    ended.save(update_fields=["ended_at"])
    record(actor=actor, action="judging:round:end", subject=str(ended.pk), reason=reason)
    return ended


def read_round(calibration_round: CalibrationRound) -> RoundReading:
    """The group's agreement so far, and who is still to judge what. Void battles count for nothing."""
    entries = calibration_round.battles.exclude(battle__state=Battle.State.VOID)
    battles = list(entries.values_list("battle_id", flat=True))
    judges = list(calibration_round.judges.values_list("judge_id", flat=True))
    votes = final_votes().filter(battle__in=battles, judge__in=judges)
    return RoundReading(agreement_of(votes), still_to_judge(battles, judges))


def still_to_judge(battles: Collection[uuid.UUID], judges: Collection[str]) -> dict[str, int]:
    """Judges and how many of these battles each has still to judge.

    Nobody who is done, and nobody who took everything back: they are handed no more.
    """
    cast = dict(
        Vote.objects.filter(battle__in=battles, judge__in=judges, withdrawn_at__isnull=True)
        .order_by("judge")
        .values_list("judge")
        .annotate(Count("pk"))
    )
    gone = leaving(judges)
    left = {judge: len(battles) - cast.get(judge, 0) for judge in judges if judge not in gone}
    return {judge: battles_left for judge, battles_left in left.items() if battles_left > 0}
