"""Votes: what judges say of a battle. The stored label names the lane, never a pane."""

from datetime import datetime, timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from battles.blindness.fields import PostedTextField
from battles.models import Battle, Lane
from governance.identifiers import time_ordered_id
from governance.kept import KeptModel
from governance.models import ConsentReceipt, Judge
from judging.models.rounds import Rubric

#: A vote can be revised for this long, or until its judge locks it.
REVISABLE_FOR = timedelta(minutes=10)


class BecomesFinal(models.Model):
    """What a first and a second look have in common: when they can no longer be changed."""

    cast_at = models.DateTimeField(default=timezone.now)
    revised_at = models.DateTimeField(null=True)
    locked_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def locks_at(self) -> datetime:
        """When it becomes final by itself."""
        return self.cast_at + REVISABLE_FOR

    def is_locked(self, now: datetime | None = None) -> bool:
        """Whether it is final: locked by its judge, or ten minutes old."""
        return self.locked_at is not None or (now or timezone.now()) >= self.locks_at


class Vote(KeptModel, BecomesFinal):
    """One judge's label on one battle, with a completion verdict on each lane."""

    class Choice(models.TextChoices):
        LANE = "lane", "one lane is better"
        TIE = "tie", "tie"
        BOTH_BAD = "both_bad", "both bad"

    class Confidence(models.TextChoices):
        LOW = "low"
        MEDIUM = "medium"
        HIGH = "high"

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="votes")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="votes")
    receipt = models.ForeignKey(ConsentReceipt, on_delete=models.PROTECT, related_name="votes")
    choice = models.CharField(max_length=10, choices=Choice.choices)
    winner = models.ForeignKey(Lane, null=True, on_delete=models.PROTECT, related_name="votes_won")
    confidence = models.CharField(max_length=6, choices=Confidence.choices, blank=True)
    reasons = ArrayField(models.CharField(max_length=40), default=list)
    note = PostedTextField(blank=True)
    #: The judge posted the task: the label stands only where no independent one does.
    by_submitter = models.BooleanField()
    focus_ms = models.PositiveIntegerField(null=True)
    steps_opened = models.PositiveSmallIntegerField(null=True)
    #: The wording of the rubric that its judge saw; null where nobody recorded which.
    rubric = models.ForeignKey(Rubric, null=True, on_delete=models.PROTECT, related_name="votes")
    idempotency_key = models.CharField(max_length=80, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["judge", "cast_at"], name="vote_by_judge"),
            models.Index(fields=["cast_at"], condition=Q(locked_at__isnull=True), name="vote_not_locked"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["battle", "judge"], name="one_vote_per_judge_and_battle"),
            models.CheckConstraint(
                condition=Q(choice="lane", winner__isnull=False) | ~Q(choice="lane") & Q(winner__isnull=True),
                name="a_preference_names_its_lane",
            ),
        ]

    def __str__(self) -> str:
        return f"vote {self.id}"


class Completion(models.Model):
    """What a judge says of one lane: did it do the task?"""

    class Verdict(models.TextChoices):
        DONE = "done", "done"
        PARTLY = "partly", "partly"
        NOT_DONE = "not_done", "not done"
        CANNOT_TELL = "cannot_tell", "cannot tell"

    vote = models.ForeignKey(Vote, on_delete=models.PROTECT, related_name="completions")
    lane = models.ForeignKey(Lane, on_delete=models.PROTECT, related_name="completions")
    verdict = models.CharField(max_length=12, choices=Verdict.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["vote", "lane"], name="one_completion_per_vote_and_lane")]

    def __str__(self) -> str:
        return f"{self.verdict} for {self.lane_id}"


class VoteRevision(models.Model):
    """What a vote said before it was revised. Append-only; verdicts and confidence can be erased, with a stamp."""

    vote = models.ForeignKey(Vote, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveSmallIntegerField()
    choice = models.CharField(max_length=10, choices=Vote.Choice.choices)
    winner = models.ForeignKey(Lane, null=True, on_delete=models.PROTECT, related_name="+")
    completions = models.JSONField(default=dict, null=True)
    # NULL and not "": the one lawful change of an append-only row sets its columns to NULL.
    confidence = models.CharField(max_length=6, blank=True, null=True)  # noqa: DJ001
    at = models.DateTimeField(default=timezone.now)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["vote", "number"], name="revisions_are_numbered")]

    def __str__(self) -> str:
        return f"revision {self.number} of {self.vote_id}"


class RefusedVote(models.Model):
    """A vote that came too late: logged with its reason, never counted."""

    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="refused_votes")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="refused_votes")
    reason = models.CharField(max_length=20)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"refused vote on {self.battle_id}: {self.reason}"
