"""How battles come to judges who did not post them, and what judges do with one besides voting."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from battles.blindness.fields import PostedTextField
from battles.models import Battle, Step
from governance.identifiers import time_ordered_id
from governance.models import ConsentReceipt, Judge


class Offer(models.Model):
    """The submitter lets others judge a battle, before knowing whose it was."""

    battle = models.OneToOneField(Battle, primary_key=True, on_delete=models.PROTECT, related_name="offer")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="offers")
    #: Given for the sentence with the operator's legal name: the task leaves its poster's own eyes.
    receipt = models.ForeignKey(ConsentReceipt, on_delete=models.PROTECT, related_name="offers")
    offered_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"offer of {self.battle_id}"


class Assignment(models.Model):
    """A battle in one judge's hands, under a lease. ``swapped`` marks the second look at the same recordings."""

    class Outcome(models.TextChoices):
        OPEN = "open"
        VOTED = "voted"
        SKIPPED = "skipped"
        REPORTED = "reported"
        IMPOSSIBLE = "impossible"
        EXPIRED = "expired"
        TAKEN_BACK = "taken_back"

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="assignments")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="assignments")
    swapped = models.BooleanField(default=False)
    #: The assignment that this one repeats.
    first = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="repeat")
    #: Drawn when it was handed out: the battle comes back with its slots swapped, and names wait for that.
    comes_back = models.BooleanField(default=False)
    leased_at = models.DateTimeField(default=timezone.now)
    leased_until = models.DateTimeField()
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.OPEN)
    skip_reason = models.CharField(max_length=20, blank=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["battle", "leased_until"], condition=Q(outcome="open"), name="assignment_open"),
            models.Index(fields=["judge", "battle"], name="assignment_by_judge"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["judge"], condition=Q(outcome="open"), name="one_battle_in_hand_per_judge"),
            models.CheckConstraint(
                condition=Q(swapped=True, first__isnull=False, comes_back=False) | Q(swapped=False, first__isnull=True),
                name="a_swapped_assignment_repeats_another",
            ),
            models.CheckConstraint(
                condition=Q(outcome="open", ended_at__isnull=True) | ~Q(outcome="open") & Q(ended_at__isnull=False),
                name="ended_assignments_carry_the_date",
            ),
            models.CheckConstraint(
                condition=Q(outcome="skipped") & ~Q(skip_reason="") | ~Q(outcome="skipped") & Q(skip_reason=""),
                name="a_skip_has_a_reason",
            ),
            models.CheckConstraint(condition=Q(leased_until__gte=F("leased_at")), name="a_lease_ends_after_it_began"),
        ]

    def __str__(self) -> str:
        return f"assignment {self.id}"


class Report(models.Model):
    """A judge says that something is wrong with a battle. It is hidden until an operator decides."""

    class Resolution(models.TextChoices):
        RESTORED = "restored"
        VOIDED = "voided"

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="reports")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="reports")
    kind = models.CharField(max_length=20)
    note = PostedTextField(blank=True)
    opened_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)
    resolution = models.CharField(max_length=10, choices=Resolution.choices, blank=True)
    resolved_by = models.CharField(max_length=80, blank=True)
    resolved_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes = [models.Index(fields=["due_at"], condition=Q(resolved_at__isnull=True), name="report_open")]
        constraints = [
            models.UniqueConstraint(
                fields=["battle", "judge"], condition=Q(resolved_at__isnull=True), name="one_open_report_per_judge"
            ),
            models.CheckConstraint(
                condition=Q(resolved_at__isnull=True, resolution="", resolved_by="")
                | Q(resolved_at__isnull=False) & ~Q(resolution="") & ~Q(resolved_by="") & ~Q(resolved_reason=""),
                name="a_resolved_report_says_how_and_by_whom",
            ),
        ]

    def __str__(self) -> str:
        return f"report {self.id}"


class ImpossibleMark(models.Model):
    """A judge says that the task cannot be done by anybody. No vote."""

    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="impossible_marks")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="impossible_marks")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["battle", "judge"], name="one_impossible_mark_per_judge")]

    def __str__(self) -> str:
        return f"impossible: {self.battle_id}"


class Attention(models.Model):
    """How long a judge looked at a battle, with the page in focus. Milliseconds, over all visits."""

    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="attention")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="attention")
    focus_ms = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["battle", "judge"], name="one_attention_per_judge_and_battle")]

    def __str__(self) -> str:
        return f"{self.focus_ms} ms on {self.battle_id}"


class StepOpened(models.Model):
    """A judge opened a step of the recording."""

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="steps_opened")
    step = models.ForeignKey(Step, on_delete=models.PROTECT, related_name="opened_by")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge", "step"], name="a_step_is_opened_once_per_judge")]

    def __str__(self) -> str:
        return f"step {self.step_id} opened"
