"""The names that the database itself refuses in our own messages."""

from django.db import models
from django.utils import timezone


class LexiconName(models.Model):
    """One name as it is searched for: maintained with the code, or of a rostered agent. Roster names stay for good."""

    class Origin(models.TextChoices):
        MAINTAINED = "maintained"
        ROSTER = "roster"

    #: Folded; a space stands for an optional separator.
    name = models.CharField(primary_key=True, max_length=200)
    #: Read by the guards of blunt columns: what is looked for, empty where only the code looks for the name, and the
    #: kind of neighbours it must not have.
    pattern = models.CharField(max_length=1000, blank=True)
    frame = models.CharField(max_length=20, blank=True)
    origin = models.CharField(max_length=10, choices=Origin.choices)
    added_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
