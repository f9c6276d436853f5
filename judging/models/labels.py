"""Labels below the level of a battle: verdicts on steps, boxes drawn on frames, clicks."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from battles.blindness.fields import PostedTextField
from battles.models import Frame, Step
from governance.identifiers import random_id
from governance.models import ConsentReceipt, Judge


class StepVerdict(models.Model):
    """What a judge says of one step. Changeable; emptied with a stamp when it is withdrawn."""

    class Verdict(models.TextChoices):
        HELPFUL = "helpful", "helpful"
        UNNECESSARY = "unnecessary", "unnecessary"
        WRONG = "wrong", "wrong"
        UNSAFE = "unsafe", "unsafe"

    id = models.UUIDField(primary_key=True, default=random_id, editable=False)
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="step_verdicts")
    step = models.ForeignKey(Step, on_delete=models.PROTECT, related_name="verdicts")
    receipt = models.ForeignKey(ConsentReceipt, on_delete=models.PROTECT, related_name="step_verdicts")
    verdict = models.CharField(max_length=12, choices=Verdict.choices, blank=True)
    at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(null=True)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["judge", "at"], name="step_verdict_by_judge")]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "step"], condition=Q(erased_at__isnull=True), name="one_verdict_per_judge_and_step"
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True) & ~Q(verdict="") | Q(erased_at__isnull=False, verdict=""),
                name="a_step_verdict_says_something_until_erased",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict or 'erased'} for step {self.step_id}"


def _inside(*names: str) -> Q:
    condition = Q()
    for name in names:
        condition &= Q(**{f"{name}__gte": 0, f"{name}__lte": 1})
    return condition


class Annotation(models.Model):
    """A box drawn on a frame with a tag and a remark. Append-only; what it says can be erased, with a stamp."""

    class Tag(models.TextChoices):
        WRONG_TARGET = "wrong_target", "wrong target"
        MISSED_ELEMENT = "missed_element", "missed element"
        PRIVATE_DATA = "private_data", "private data shown"
        CLAIM_NOT_ON_PAGE = "claim_not_on_page", "claim not on page"

    id = models.UUIDField(primary_key=True, default=random_id, editable=False)
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="annotations")
    frame = models.ForeignKey(Frame, on_delete=models.PROTECT, related_name="annotations")
    receipt = models.ForeignKey(ConsentReceipt, on_delete=models.PROTECT, related_name="annotations")
    #: Shares of the frame's width and height, from its upper left corner.
    x = models.FloatField(null=True)
    y = models.FloatField(null=True)
    width = models.FloatField(null=True)
    height = models.FloatField(null=True)
    # NULL and not "": the one lawful change of an append-only row sets its columns to NULL.
    tag = models.CharField(max_length=20, choices=Tag.choices, null=True)  # noqa: DJ001
    note = PostedTextField(null=True)
    at = models.DateTimeField(default=timezone.now)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["judge", "at"], name="annotation_by_judge")]
        constraints = [
            models.CheckConstraint(
                condition=Q(erased_at__isnull=False)
                | Q(x__gte=0, y__gte=0, width__gt=0, height__gt=0, tag__isnull=False, note__isnull=False)
                # Rounding of a box that reaches the edge.
                & Q(width__lte=1.000001 - F("x"), height__lte=1.000001 - F("y")),
                name="an_annotations_box_lies_on_its_frame",
            )
        ]

    def __str__(self) -> str:
        return f"{self.tag or 'erased'} on frame {self.frame_id}"


class Click(models.Model):
    """Where a judge would click next on a frame. Append-only; what it says can be erased, with a stamp."""

    id = models.UUIDField(primary_key=True, default=random_id, editable=False)
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="clicks")
    frame = models.ForeignKey(Frame, on_delete=models.PROTECT, related_name="clicks")
    receipt = models.ForeignKey(ConsentReceipt, on_delete=models.PROTECT, related_name="clicks")
    #: Shares of the frame's width and height, from its upper left corner.
    x = models.FloatField(null=True)
    y = models.FloatField(null=True)
    milliseconds = models.PositiveIntegerField(null=True, help_text="From the frame being shown to the click.")
    at = models.DateTimeField(default=timezone.now)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["judge", "at"], name="click_by_judge")]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "frame"], condition=Q(erased_at__isnull=True), name="one_click_per_judge_and_frame"
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=False) | _inside("x", "y") & Q(milliseconds__isnull=False),
                name="a_click_lies_on_its_frame",
            ),
        ]

    def __str__(self) -> str:
        return f"click on frame {self.frame_id}"
