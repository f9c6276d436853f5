"""What was promised to be looked at, before anything of it was seen. Append-only."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from governance.identifiers import time_ordered_id


class Preregistration(models.Model):
    """Which agents, on which tasks, by which measure, at which size, analysed how; entered before the first battle."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    agents = ArrayField(models.CharField(max_length=80), help_text="Keys; the first is compared with the others.")
    category = models.CharField(max_length=20, blank=True, help_text="Of tasks; nothing: all of them.")
    metric = models.CharField(max_length=40)
    size = models.PositiveIntegerField(help_text="The result is read once, over so many rated battles.")
    analysis = models.TextField(help_text="What is expected and what would count as which answer, verbatim.")
    starts_at = models.DateTimeField(help_text="It speaks of battles drawn from then on.")
    entered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["entered_at"]
        constraints = [
            models.CheckConstraint(condition=models.Q(size__gt=0), name="a_preregistration_has_a_size"),
            models.CheckConstraint(
                condition=~models.Q(analysis="") & ~models.Q(metric=""), name="a_preregistration_says_what_is_done"
            ),
        ]

    def __str__(self) -> str:
        return f"preregistration {self.id}"


class PreregistrationResult(models.Model):
    """What came of a promise, read once when its size was reached. Append-only."""

    preregistration = models.OneToOneField(
        Preregistration, primary_key=True, on_delete=models.PROTECT, related_name="result"
    )
    words = models.CharField(max_length=300)
    read_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.words
