"""What somebody can take back, as choices of one form, and how far a withdrawal has come."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.text import capfirst

from battles.imagery.masks import sees_originals
from battles.models import Battle, Task
from battles.shown_words import shown_task
from governance.contributions import ALL, contributions
from governance.dataset.recalls import told_of
from governance.models import Judge, Withdrawal
from governance.withdrawal_clocks import CORPUS, LICENSEES, Clock
from judging.contributions import standing_annotations, standing_clicks, standing_step_verdicts, standing_votes

Scope = Withdrawal.Scope

#: Tasks and battles that can be taken back one by one: the newest. Older ones go with their kind.
LISTED = 50
#: Characters of an instruction that tell it from others.
SHOWN = 90

#: The five kinds as the form names them.
KIND_WORDS = {
    "task": "all tasks I posted, with their recordings",
    "vote": "all my votes, with their notes",
    "annotation": "all boxes I drew",
    "step verdict": "all my verdicts on steps",
    "click": "all my clicks",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to what is to be taken back; ``value`` is what the form sends."""

    value: str
    words: str
    meaning: str = ""


WHOLE = (
    Choice(
        Scope.EVERYTHING,
        "Everything",
        "All tasks, votes and marks, and the account. This browser is a new visitor afterwards.",
    ),
    Choice(
        Scope.IDENTITY,
        "Who I am, not what I gave",
        "The account and remarks in your own words go, boxes with a remark included. Votes, tasks and other marks stay "
        "and go on counting, and nobody can take them back any more: withdraw a task first if it says who you are.",
    ),
)


def kind_choices(judge: Judge | None) -> list[Choice]:
    """Kinds that a judge gave; all of them while nobody knows who asks."""
    held = {kind.kind for kind in contributions() if judge is None or kind.held(judge, ALL)}
    return [Choice(f"{Scope.KIND}:{kind}", capfirst(words)) for kind, words in KIND_WORDS.items() if kind in held]


def task_choices(judge: Judge) -> list[Choice]:
    tasks = Task.objects.filter(judge=judge, withdrawn_at__isnull=True).order_by("-created_at")[:LISTED]
    return [Choice(f"{Scope.TASK}:{task.pk}", _short(task, judge)) for task in tasks]


def battle_choices(judge: Judge) -> list[Choice]:
    """Battles that a judge voted on, or marked without voting."""
    mine = Q(pk__in=standing_votes(judge, ALL).values("battle"))
    mine |= Q(pk__in=standing_step_verdicts(judge, ALL).values("step__lane__attempt__battle"))
    for marks in (standing_annotations(judge, ALL), standing_clicks(judge, ALL)):
        mine |= Q(pk__in=marks.values("frame__lane__attempt__battle"))
    judged = Battle.objects.filter(mine, task__withdrawn_at__isnull=True)
    battles = judged.select_related("task").order_by("-created_at")[:LISTED]
    return [Choice(f"{Scope.BATTLE}:{battle.pk}", _short(battle.task, judge)) for battle in battles]


def _short(task: Task, judge: Judge) -> str:
    words = shown_task(task, original=sees_originals(task, judge))["instruction"]
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1].rstrip()}…"


def clock_view(withdrawal: Withdrawal, clock: Clock) -> dict[str, Any]:
    """How one of the clocks stands."""
    done_at = withdrawal.corpus_done_at if clock == CORPUS else withdrawal.licensees_done_at
    return {
        "due_at": clock.due_at(withdrawal.received_at),
        "done_at": done_at,
        "overdue": clock.overdue(withdrawal.received_at, done_at, timezone.now()),
    }


def withdrawal_view(withdrawal: Withdrawal) -> dict[str, Any]:
    """A request and its two clocks, for whoever has its address."""
    about = {
        Scope.EVERYTHING: "everything",
        Scope.IDENTITY: "who you are; what you gave stays",
        Scope.KIND: KIND_WORDS.get(withdrawal.kind, withdrawal.kind).replace(" I ", " you ").replace(" my ", " your "),
        Scope.TASK: "one task, with what you said of it",
        Scope.BATTLE: "what you said of one battle",
    }
    return {
        "about": about[Scope(withdrawal.scope)],
        "received_at": withdrawal.received_at,
        "corpus": clock_view(withdrawal, CORPUS),
        "licensees": clock_view(withdrawal, LICENSEES),
        "called_off": withdrawal.called_off_reason if withdrawal.called_off_at else "",
        "called_off_at": withdrawal.called_off_at,
        "snapshots": told_of(withdrawal),
        "removed": [(kind, count) for kind, count in sorted(withdrawal.removed.items()) if count],
    }
