"""What people want done in a browser."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from battles.blindness.fields import PostedTextField
from governance.identifiers import time_ordered_id
from governance.models import ConsentReceipt, Judge


class Task(models.Model):
    """An instruction and a start URL, as a person posted them or as a practice site asks."""

    class Kind(models.TextChoices):
        ANSWER = "answer", "asks for an answer"
        ACTION = "action", "asks for something to be done"

    class Overlap(models.TextChoices):
        NOVEL = "novel"
        NEAR = "near"

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    #: The submitter; null for practice tasks, which nobody posts.
    judge = models.ForeignKey(Judge, null=True, on_delete=models.PROTECT, related_name="tasks")
    receipt = models.ForeignKey(ConsentReceipt, null=True, on_delete=models.PROTECT, related_name="tasks")
    instruction = PostedTextField()
    start_url = PostedTextField()
    hosts = ArrayField(models.CharField(max_length=253), default=list)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    category = models.CharField(max_length=20)
    overlap = models.CharField(max_length=10, choices=Overlap.choices, default=Overlap.NOVEL)
    overlap_match = models.CharField(max_length=200, blank=True)
    practice_key = models.CharField(max_length=80, blank=True)
    #: Chosen by the form or client that posted it, so that a retry makes no second battle.
    submission_key = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        indexes = [models.Index(fields=["judge", "created_at"], name="task_by_judge")]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "submission_key"], condition=~Q(submission_key=""), name="one_task_per_submission"
            ),
            models.CheckConstraint(
                condition=~Q(practice_key="") | Q(judge__isnull=False, receipt__isnull=False),
                name="a_posted_task_has_a_judge_and_a_receipt",
            ),
        ]

    def __str__(self) -> str:
        return f"task {self.id}"
