"""Expert panels: judges of a named qualification on fixed tasks, with a fit of their own.

A panel's battles are of a kind that no board rates, so that its votes can never be pooled with the headline; whoever
fits them does so under the panel's own label.
"""

import functools
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from battles.dispatch import ring
from battles.draws import pick_battle_pair
from battles.models import Agent, Battle, Task
from governance.errors import ArenaError, Conflict
from governance.journal import record
from governance.models import Judge
from governance.withdrawals import leaving
from judging.agreement_reading import Agreement, agreement_of, final_votes
from judging.calibration import verdict_of
from judging.exclusions import not_left_out
from judging.models import CalibrationRound, Offer, Panel, PanelBattle, PanelJudge, PanelTask, RoundJudge, Vote
from judging.remarks import fits_a_line
from judging.rounds import NAME_MAX, still_to_judge
from judging.rubric import current_rubric
from judging.trust import admissible_votes

#: What qualifies the judges stands beside the name.
QUALIFICATION_MAX = 200


class PanelRefused(ArenaError):
    code = "panel_refused"
    status = 422


@dataclass(frozen=True, slots=True)
class PanelLabel:
    """One row of a panel's own fit: who met whom, and the better agent's key, ``tie`` or ``both_bad``."""

    fit: str
    battle: uuid.UUID
    judge: str
    agent_a: str
    agent_b: str
    verdict: str


@transaction.atomic
def open_panel(
    *,
    name: str,
    qualification: str,
    tasks: Collection[Task],
    actor: str,
    calibration_round: CalibrationRound | None = None,
    reason: str = "",
) -> Panel:
    """Open a panel on tasks that stay as they are.

    Raises:
        PanelRefused: ``no_name``, ``bad_name``, ``no_qualification``, ``bad_qualification``, ``no_tasks``,
            ``withdrawn_task``, ``name_taken``; ``private_task``: its poster has offered no battle of it to others.
    """
    if not name.strip():
        raise PanelRefused("A panel needs a name.", code="no_name", field="name")
    if not fits_a_line(name.strip(), most=NAME_MAX):
        raise PanelRefused(f"A name has at most {NAME_MAX} visible characters.", code="bad_name", field="name")
    if not qualification.strip():
        raise PanelRefused("Please name what qualifies its judges.", code="no_qualification", field="qualification")
    if not fits_a_line(qualification.strip(), most=QUALIFICATION_MAX):
        raise PanelRefused(
            f"A qualification has at most {QUALIFICATION_MAX} visible characters.",
            code="bad_qualification",
            field="qualification",
        )
    if not tasks:
        raise PanelRefused("A panel needs tasks.", code="no_tasks", field="tasks")
    if any(task.withdrawn_at is not None for task in tasks):
        raise PanelRefused("One of the tasks was withdrawn.", code="withdrawn_task", field="tasks")
    if usable_tasks().filter(pk__in=[task.pk for task in tasks]).count() != len({task.pk for task in tasks}):
        raise PanelRefused("A task that nobody offered to judges is its poster's.", code="private_task", field="tasks")
    if Panel.objects.filter(name=name.strip()).exists():
        raise PanelRefused("There is a panel of this name.", code="name_taken", field="name")
    panel = Panel.objects.create(
        name=name.strip(),
        qualification=qualification.strip(),
        rubric=current_rubric(),
        round=calibration_round,
        opened_by=actor,
    )
    PanelTask.objects.bulk_create(PanelTask(panel=panel, task=task) for task in tasks)
    record(actor=actor, action="judging:panel:open", subject=str(panel.pk), reason=reason, fit=panel.fit_label)
    return panel


@transaction.atomic
def admit_judge(*, panel: Panel, judge: Judge, actor: str, reason: str = "") -> PanelJudge:
    """Put a judge whose qualification was seen on a panel. Admitting twice is admitting once.

    Raises:
        Conflict: ``panel_closed``; ``judge_withdrew``: they took everything back; ``not_calibrated``: the panel has a
            calibration round, and this judge was not in it.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    panel = Panel.objects.select_for_update(no_key=True).get(pk=panel.pk)
    if panel.closed_at is not None:
        raise Conflict("This panel is closed.", code="panel_closed")
    if leaving([judge.pk]):
        raise Conflict("This judge took everything back, and is handed no more battles.", code="judge_withdrew")
    if panel.round_id is not None and not RoundJudge.objects.filter(round=panel.round_id, judge=judge).exists():
        raise Conflict("This judge was not in the panel's calibration round.", code="not_calibrated")
    place, created = PanelJudge.objects.get_or_create(panel=panel, judge=judge, defaults={"admitted_by": actor})
    if created:
        record(actor=actor, action="judging:panel:admit", subject=str(panel.pk), reason=reason, judge=judge.pk)
    return place


@transaction.atomic
def race_panel(
    *, panel: Panel, actor: str, reason: str = "", doorbell: Callable[[uuid.UUID], None] = ring
) -> list[Battle]:
    """Draw and queue one battle on each of the panel's tasks that its poster did not take back.

    Raises:
        Conflict: ``panel_closed``; ``no_tasks``: all were taken back.
        RosterTooSmall: nobody to race.
    """
    panel = Panel.objects.select_for_update(no_key=True).get(pk=panel.pk)
    if panel.closed_at is not None:
        raise Conflict("This panel is closed.", code="panel_closed")
    # Whoever takes a task back at this moment waits, and then voids what was queued here.
    tasks = Task.objects.select_for_update(no_key=True).filter(panels__panel=panel, withdrawn_at__isnull=True)
    battles = [_battle(panel, task) for task in tasks.order_by("pk")]
    if not battles:
        raise Conflict("All tasks of this panel were taken back, so there is nothing to race.", code="no_tasks")
    record(
        actor=actor,
        action="judging:panel:race",
        subject=str(panel.pk),
        reason=reason,
        battles=[str(battle.pk) for battle in battles],
    )
    for battle in battles:
        transaction.on_commit(functools.partial(doorbell, battle.pk))
    return battles


def _battle(panel: Panel, task: Task) -> Battle:
    match = pick_battle_pair()
    battle = Battle.objects.create(
        task=task,
        kind=Battle.Kind.CALIBRATION,
        agent_a=Agent.objects.get(pk=match.slot_a),
        agent_b=Agent.objects.get(pk=match.slot_b),
        pair_probability=match.pair_probability,
    )
    PanelBattle.objects.create(panel=panel, battle=battle)
    return battle


@transaction.atomic
def close_panel(*, panel: Panel, actor: str, reason: str = "") -> Panel:
    """Hand out no more of a panel's battles.

    Raises:
        Conflict: ``panel_closed``: it is closed already.
    """
    panel = Panel.objects.select_for_update(no_key=True).get(pk=panel.pk)
    if panel.closed_at is not None:
        raise Conflict("This panel is closed already.", code="panel_closed")
    panel.closed_at = timezone.now()
    panel.save(update_fields=["closed_at"])
    record(actor=actor, action="judging:panel:close", subject=str(panel.pk), reason=reason)
    return panel


def panel_votes(panel: Panel) -> QuerySet[Vote]:
    """The final votes of a panel's own judges on its own battles."""
    votes = final_votes().filter(battle__panel__panel=panel, judge__panels__panel=panel)
    return votes.exclude(battle__state=Battle.State.VOID)


@dataclass(frozen=True, slots=True)
class PanelReading:
    """A panel as an operator reads it.

    Attributes:
        agreement: of its judges' final votes.
        battles: raced for it, by state.
        missing: judges and how many of its battles that can be judged each has still to judge.
    """

    agreement: Agreement
    battles: dict[str, int]
    missing: dict[str, int]


def read_panel(panel: Panel) -> PanelReading:
    """How far a panel's judges agree, and who is still to judge what."""
    states = dict(
        Battle.objects.filter(panel__panel=panel).order_by("state").values_list("state").annotate(Count("pk"))
    )
    judged = Battle.objects.filter(panel__panel=panel, state__in=[Battle.State.VOTABLE, Battle.State.RESOLVED])
    asked = list(judged.values_list("pk", flat=True))
    judges = list(panel.judges.values_list("judge_id", flat=True))
    return PanelReading(agreement_of(panel_votes(panel)), states, still_to_judge(asked, judges))


def usable_tasks() -> QuerySet[Task]:
    """What a panel can be opened on, the newest first: practice tasks, and tasks whose poster offered a battle."""
    shared = ~Q(practice_key="") | Exists(Offer.objects.filter(battle__task=OuterRef("pk")))
    return Task.objects.filter(shared, withdrawn_at__isnull=True).order_by("-pk")


def panel_labels(panel: Panel) -> list[PanelLabel]:
    """The final admissible votes of a panel's own judges on its own battles, for its own fit."""
    votes = panel_votes(panel).filter(battle__leak_scan=Battle.Leak.CLEAN)
    rows = admissible_votes(not_left_out(votes)).select_related("battle", "winner").order_by("pk")
    return [
        PanelLabel(
            fit=panel.fit_label,
            battle=vote.battle_id,
            judge=vote.judge_id,
            agent_a=vote.battle.agent_a_id,
            agent_b=vote.battle.agent_b_id,
            verdict=vote.winner.agent_id if vote.winner else verdict_of(vote),
        )
        for vote in rows
    ]
