"""What operators are asked when a round or a panel begins, or takes a judge."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms

from battles.models import Task
from governance.admin_base import ReasonForm
from governance.errors import NotFound
from governance.models import Judge
from judging.models import CalibrationRound, Panel
from judging.panels import QUALIFICATION_MAX, admit_judge, open_panel
from judging.rounds import NAME_MAX, longest_waiting, start_round

#: Of more there is no use: every judge of the group labels each.
BATTLES_MAX = 100
#: So many identifiers at the most, each on its line.
LINES_MAX = 100
IDENTIFIER_MAX = 40
_LINES: dict[str, Any] = {
    "max_length": LINES_MAX * IDENTIFIER_MAX,
    "widget": forms.Textarea(attrs={"rows": 4}),
}


class RoundForm(ReasonForm):
    """A round to start. Its battles are a number: which they are is not to be known to whoever may judge them."""

    name = forms.CharField(max_length=NAME_MAX, help_text="What to call it.")
    battles = forms.IntegerField(
        min_value=1,
        max_value=BATTLES_MAX,
        label="How many battles",
        help_text="The longest waiting practice and gold battles that nobody has judged. Which ones stays hidden.",
    )
    judges = forms.CharField(**_LINES, help_text="The whole identifiers of the group, each on its line. At least two.")


class PanelForm(ReasonForm):
    """A panel to open."""

    name = forms.CharField(max_length=NAME_MAX, help_text="What to call it. No other panel has this name.")
    qualification = forms.CharField(max_length=QUALIFICATION_MAX, help_text="What its judges have shown proof of.")
    tasks = forms.CharField(
        **_LINES, help_text="The whole identifiers of practice tasks, or of tasks offered to judges; each on its line."
    )
    calibration_round = forms.CharField(
        max_length=IDENTIFIER_MAX,
        required=False,
        label="Calibration round",
        help_text="The whole identifier of the round that its judges come from, or nothing.",
    )


class JudgeForm(ReasonForm):
    """Whom to admit."""

    judge = forms.CharField(max_length=32, help_text="The whole identifier of a judge whose qualification you saw.")


def start(*, actor: str, reason: str, name: str, battles: int, judges: str) -> None:
    """Start a round with the longest waiting battles that one can be made of."""
    group = [_judge(identifier, "judges") for identifier in _lines(judges)]
    start_round(name=name, battles=longest_waiting(battles), judges=group, actor=actor, reason=reason)


def open_on_tasks(
    *, actor: str, reason: str, name: str, qualification: str, tasks: str, calibration_round: str
) -> None:
    """Open a panel on the tasks named, each on its line."""
    found = [_row(Task, identifier, "tasks", "task") for identifier in _lines(tasks)]
    named = calibration_round.strip()
    group = _row(CalibrationRound, named, "calibration_round", "round") if named else None
    open_panel(name=name, qualification=qualification, tasks=found, actor=actor, calibration_round=group, reason=reason)


def admit(*, row: Panel, actor: str, reason: str, judge: str) -> None:
    """Put the judge of an identifier on a panel."""
    admit_judge(panel=row, judge=_judge(judge.strip(), "judge"), actor=actor, reason=reason)


def _lines(text: str) -> list[str]:
    return list(dict.fromkeys(text.split()))


def _judge(identifier: str, field: str) -> Judge:
    found = Judge.objects.filter(pk=identifier).first()
    if found is None:
        raise NotFound(f"There is no such judge: {identifier[:IDENTIFIER_MAX]}.", field=field)
    return found


def _row(model: type[Any], identifier: str, field: str, word: str) -> Any:
    try:
        found = model.objects.filter(pk=uuid.UUID(identifier)).first()
    except ValueError:
        found = None
    if found is None:
        raise NotFound(f"There is no such {word}: {identifier[:IDENTIFIER_MAX]}.", field=field)
    return found
