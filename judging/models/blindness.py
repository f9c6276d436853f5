"""How blind judging was found to be: dated readings of the attribution of lanes by style."""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class StylometryReading(models.Model):
    """One reading. Append-only; without a figure it says why there is none."""

    at = models.DateTimeField(default=timezone.now)
    accuracy = models.FloatField(null=True)
    chance = models.FloatField(null=True)
    lower = models.FloatField(null=True)
    upper = models.FloatField(null=True)
    battles = models.PositiveIntegerField()
    agents = models.PositiveIntegerField()
    #: Independent battles that the figure is worth.
    effective = models.FloatField()
    #: Accuracy from one family of features alone, by its name.
    by_feature = models.JSONField(default=dict)
    reason = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(reason="", accuracy__gte=0, accuracy__lte=1, chance__isnull=False)
                | ~Q(reason="") & Q(accuracy__isnull=True, chance__isnull=True),
                name="a_reading_has_a_figure_or_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"stylometry {self.at:%Y-%m-%d}"
