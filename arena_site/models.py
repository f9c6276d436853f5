"""What the site itself keeps: who is the clock, and when each piece of scheduled work was last sent."""

from django.db import models


class Clock(models.Model):
    """The lease of the one ``beat`` that sends; there is one row. Times are the database's own."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    holder = models.CharField(max_length=120)
    until = models.DateTimeField()
    ticked_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_clock")]

    def __str__(self) -> str:
        return self.holder


class ScheduledRun(models.Model):
    """When a piece of scheduled work was last sent, whichever host sent it, and how often it ever was."""

    name = models.CharField(primary_key=True, max_length=200)
    last_run_at = models.DateTimeField()
    runs = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return self.name
