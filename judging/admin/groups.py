"""Calibration rounds and expert panels."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count
from django.http import HttpRequest

from governance.actors import shown_actors
from governance.admin_base import Act, OperatorAdmin
from governance.admin_base import Panel as Table
from governance.models import JournalEntry
from governance.operators import Ability
from governance.withheld import withhold_detail
from judging.admin.group_forms import JudgeForm, PanelForm, RoundForm, admit, open_on_tasks, start
from judging.agreement import Coefficient
from judging.agreement_reading import Agreement
from judging.models import CalibrationRound, Panel
from judging.panels import close_panel, race_panel, read_panel
from judging.rounds import end_round, read_round

#: The page of a round or a panel shows so many of its judges, tasks and rows of the journal.
SHOWN = 50
ASK = {"ask": "read", "words": "Work out how far its judges agree"}


# Their details are lists of battles, which an operator may be handed without knowing what they are.
withhold_detail("judging:round:start")
withhold_detail("judging:panel:race")


@admin.register(CalibrationRound)
class CalibrationRoundAdmin(OperatorAdmin):
    introduction = "Battles that every judge of a group labels, before their votes are relied on. They rate nobody."
    list_display = ("name", "started_at", "ended_at", "started_by")
    list_display_links = ("name",)
    search_by = ("pk",)
    search_help_text = "The whole identifier of a round."
    facts = ("id", "name", "rubric_id", "started_by", "started_at", "ended_at")
    acts = (
        Act(
            name="start",
            words="Start a round",
            ability=Ability.ADMINISTER,
            of_rows=False,
            form=RoundForm,
            do=start,
            meaning="Its battles are handed to these judges first of all, and rate nobody from now on.",
        ),
        Act(
            name="end",
            words="End the round",
            ability=Ability.ADMINISTER,
            meaning="No more of its battles are handed out. What was judged stays.",
            do=lambda *, row, actor, reason: end_round(calibration_round=row, actor=actor, reason=reason),
            fits=lambda row: row.ended_at is None,
        ),
    )

    def panels(self, request: HttpRequest, row: CalibrationRound) -> list[Table]:
        # Which battles are a round's is not to be known to whoever may judge them: that they are counted is all.
        states = row.battles.order_by().values_list("battle__state").annotate(Count("pk"))
        judges = [(judge,) for judge in row.judges.order_by("pk").values_list("judge_id", flat=True)[:SHOWN]]
        tables = [Table("Battles", ("state", "battles"), list(states)), Table("Judges", ("judge",), judges)]
        if ASK["ask"] in request.GET:
            reading = read_round(row)
            tables += _agreement(reading.agreement, reading.missing)
        else:
            tables.append(_asked())
        return [*tables, _history(row)]


@admin.register(Panel)
class PanelAdmin(OperatorAdmin):
    introduction = "Experts of a named qualification on fixed tasks. Their fit is their own, and pooled with no other."
    list_display = ("name", "qualification", "opened_at", "closed_at")
    list_display_links = ("name",)
    search_by = ("pk", "name")
    search_help_text = "The whole identifier or name of a panel."
    facts = ("id", "name", "qualification", "rubric_id", "round", "fit_label", "opened_by", "opened_at", "closed_at")
    acts = (
        Act(
            name="open",
            words="Open a panel",
            ability=Ability.ADMINISTER,
            of_rows=False,
            form=PanelForm,
            do=open_on_tasks,
            meaning="Its tasks stay as they are. Judges are admitted and its tasks are raced on its page.",
        ),
        Act(
            name="admit",
            words="Admit a judge",
            ability=Ability.ADMINISTER,
            form=JudgeForm,
            do=admit,
            fits=lambda row: row.closed_at is None,
            meaning="They are handed this panel's battles before any others.",
        ),
        Act(
            name="race",
            words="Race its tasks",
            ability=Ability.ADMINISTER,
            do=lambda *, row, actor, reason: race_panel(panel=row, actor=actor, reason=reason),
            fits=lambda row: row.closed_at is None,
            meaning="Draws two agents for each of its tasks and queues the battles. Model calls cost money.",
        ),
        Act(
            name="close",
            words="Close the panel",
            ability=Ability.ADMINISTER,
            do=lambda *, row, actor, reason: close_panel(panel=row, actor=actor, reason=reason),
            fits=lambda row: row.closed_at is None,
            meaning="No more of its battles are handed out, for good. Its fit stays.",
        ),
    )

    def panels(self, request: HttpRequest, row: Panel) -> list[Table]:
        places = row.judges.order_by("-pk")[:SHOWN]
        judges = [(place.admitted_at, place.judge_id, place.admitted_by) for place in places]
        tasks = [(task,) for task in row.tasks.order_by("pk").values_list("task_id", flat=True)[:SHOWN]]
        tables = [
            Table("Judges", ("admitted", "judge", "by"), judges, "Nobody yet."),
            Table("Tasks", ("task",), tasks),
        ]
        if ASK["ask"] in request.GET:
            reading = read_panel(row)
            tables.append(Table("Its battles", ("state", "battles"), list(reading.battles.items()), "None was raced."))
            tables += _agreement(reading.agreement, reading.missing)
        else:
            tables.append(_asked())
        return [*tables, _history(row)]


def _asked() -> Table:
    return Table("Agreement", template="admin/judging/ask.html", context=ASK)


def _agreement(agreement: Agreement, missing: dict[str, int]) -> list[Table]:
    rows = [
        ("votes, Krippendorff's alpha", *_cells(agreement.votes)),
        ("votes, equal in percent", *_cells(agreement.votes_equal)),
        ("what lanes did, alpha (ordinal)", *_cells(agreement.completion)),
        *(
            (
                f"kappa of {str(pair.judge)[:8]} and {str(pair.other)[:8]}",
                pair.reason or f"{pair.value:.2f}",
                pair.common,
            )
            for pair in agreement.kappas[:SHOWN]
        ),
    ]
    left = sorted(missing.items())[:SHOWN]
    return [
        Table("Agreement", ("of", "value, 95% interval", "judged twice or more"), rows),
        Table("Still to judge", ("judge", "battles"), left, "Everybody is done."),
    ]


def _cells(found: Coefficient) -> tuple[str, int]:
    if found.value is None:
        return f"undefined, {found.reason}", found.pairable
    if found.lower is None or found.upper is None:
        return f"{found.value:.2f}", found.pairable
    return f"{found.value:.2f} ({found.lower:.2f} to {found.upper:.2f})", found.pairable


def _history(row: Any) -> Table:
    entries = JournalEntry.objects.filter(subject=str(row.pk)).order_by("-at")[:SHOWN]
    who = shown_actors(entry.actor for entry in entries)
    rows = [(entry.at, entry.action, who[entry.actor], entry.reason) for entry in entries]
    return Table("History", ("when", "what", "who", "why"), rows, "Nothing is recorded.")
