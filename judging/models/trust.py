"""Whether a judge's labels rate: the history of their trust, and single labels put aside."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.models import Judge
from judging.models.votes import Vote


class TrustChange(models.Model):
    """A judge's state changed. Append-only; the newest row is the state, and without a row a judge is new."""

    class State(models.TextChoices):
        NEW = "new"
        TRUSTED = "trusted"
        UNTRUSTED = "untrusted"
        SUSPENDED = "suspended"

    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="trust_changes")
    before = models.CharField(max_length=10, choices=State.choices)
    state = models.CharField(max_length=10, choices=State.choices)
    actor = models.CharField(max_length=80)
    reason = models.CharField(max_length=500)
    #: Scored calls the rule looked at and how many were right; null where an operator decided.
    calls = models.PositiveSmallIntegerField(null=True)
    right = models.PositiveSmallIntegerField(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["judge", "-id"], name="trust_latest")]
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="a_change_of_trust_has_a_reason"),
            models.CheckConstraint(
                condition=Q(calls__isnull=True, right__isnull=True) | Q(right__lte=models.F("calls")),
                name="no_more_right_calls_than_calls",
            ),
        ]

    def __str__(self) -> str:
        return f"judge {self.judge_id[:8]}: {self.before} to {self.state}"


class HeldLabel(models.Model):
    """A vote put aside: it rates nobody until an operator decides, and after that only if it was released."""

    class Decision(models.TextChoices):
        RELEASED = "released"
        EXCLUDED = "excluded"

    vote = models.ForeignKey(Vote, on_delete=models.PROTECT, related_name="holds")
    reason = models.CharField(max_length=500)
    held_by = models.CharField(max_length=80)
    held_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField()
    decision = models.CharField(max_length=10, choices=Decision.choices, blank=True)
    decided_by = models.CharField(max_length=80, blank=True)
    decided_reason = models.CharField(max_length=500, blank=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["due_at"], condition=Q(decision=""), name="held_label_open")]
        constraints = [
            models.UniqueConstraint(
                fields=["vote"], condition=~Q(decision="released"), name="one_hold_in_force_per_vote"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="a_hold_has_a_reason"),
            models.CheckConstraint(
                condition=Q(decision="", decided_at__isnull=True, decided_by="")
                | ~Q(decision="") & Q(decided_at__isnull=False) & ~Q(decided_by="") & ~Q(decided_reason=""),
                name="a_decided_hold_says_by_whom_and_why",
            ),
        ]

    def __str__(self) -> str:
        return f"hold of {self.vote_id}"
