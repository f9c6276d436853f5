"""What judges are told to look at, and the occasions on which a group of them judges the same battles."""

import uuid

from django.db import models
from django.utils import timezone

from battles.blindness.fields import PostedTextField
from battles.models import Battle, Task
from governance.identifiers import time_ordered_id
from governance.models import Judge


class Rubric(models.Model):
    """One wording of what to judge and in which order of priority. Append-only: a new wording is a new row."""

    version = models.PositiveIntegerField(primary_key=True)
    #: The shipped text as it was archived: headings, rules and worked examples, in Markdown.
    text = PostedTextField()
    sha256 = models.CharField(max_length=64)
    effective_from = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["version"]

    def __str__(self) -> str:
        return f"rubric {self.version}"


class CalibrationRound(models.Model):
    """A set of battles that every judge of a group labels, before their votes are relied on."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    name = models.CharField(max_length=120)
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="rounds")
    started_by = models.CharField(max_length=80)
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"calibration round {self.name}"


class RoundBattle(models.Model):
    """A battle of a round. It is in no other round and in nobody's standings."""

    round = models.ForeignKey(CalibrationRound, on_delete=models.PROTECT, related_name="battles")
    battle = models.OneToOneField(Battle, on_delete=models.PROTECT, related_name="calibration")

    def __str__(self) -> str:
        return f"battle {self.battle_id} of {self.round_id}"


class RoundJudge(models.Model):
    """A judge of the group of a round."""

    round = models.ForeignKey(CalibrationRound, on_delete=models.PROTECT, related_name="judges")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="calibration_rounds")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "judge"], name="one_place_in_a_round")]

    def __str__(self) -> str:
        return f"judge {self.judge_id[:8]} of {self.round_id}"


def fit_label() -> str:
    """A name for a fit that no other fit has."""
    return f"panel-{uuid.uuid4().hex[:12]}"


class Panel(models.Model):
    """Experts of a named qualification on fixed tasks, with a fit of their own that is never pooled with another."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    name = models.CharField(max_length=120, unique=True)
    qualification = models.CharField(max_length=200)
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="panels")
    round = models.ForeignKey(CalibrationRound, null=True, on_delete=models.PROTECT, related_name="panels")
    #: Under this name the panel's own fit is made and published.
    fit_label = models.CharField(max_length=40, unique=True, default=fit_label)
    opened_by = models.CharField(max_length=80)
    opened_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"panel {self.name}"


class PanelTask(models.Model):
    """A task of a panel, fixed when the panel is opened."""

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="tasks")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="panels")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["panel", "task"], name="one_place_in_a_panels_tasks")]

    def __str__(self) -> str:
        return f"task {self.task_id} of {self.panel_id}"


class PanelJudge(models.Model):
    """A judge whose qualification an operator has seen proof of."""

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="judges")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="panels")
    admitted_by = models.CharField(max_length=80)
    admitted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["panel", "judge"], name="one_place_on_a_panel")]

    def __str__(self) -> str:
        return f"judge {self.judge_id[:8]} on {self.panel_id}"


class PanelBattle(models.Model):
    """A battle raced for a panel. It is in no other panel and rates in no board."""

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="battles")
    battle = models.OneToOneField(Battle, on_delete=models.PROTECT, related_name="panel")

    def __str__(self) -> str:
        return f"battle {self.battle_id} of {self.panel_id}"
