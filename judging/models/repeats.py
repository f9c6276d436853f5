"""A judge's second vote on recordings they judged before, slots swapped. It measures the judge and rates nobody."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from battles.blindness.fields import PostedTextField
from battles.models import Battle, Lane
from governance.identifiers import time_ordered_id
from governance.models import ConsentReceipt, Judge
from judging.models.pool import Assignment
from judging.models.rounds import Rubric
from judging.models.votes import BecomesFinal, Completion, Vote


class RepeatVote(BecomesFinal):
    """What the judge says at the second look. A table of its own, which no fit reads."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="repeat_vote")
    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="repeat_votes")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="repeat_votes")
    receipt = models.ForeignKey(ConsentReceipt, on_delete=models.PROTECT, related_name="repeat_votes")
    choice = models.CharField(max_length=10, choices=Vote.Choice.choices)
    winner = models.ForeignKey(Lane, null=True, on_delete=models.PROTECT, related_name="repeat_votes_won")
    confidence = models.CharField(max_length=6, choices=Vote.Confidence.choices, blank=True)
    reasons = ArrayField(models.CharField(max_length=40), default=list)
    note = PostedTextField(blank=True)
    focus_ms = models.PositiveIntegerField(null=True)
    steps_opened = models.PositiveSmallIntegerField(null=True)
    rubric = models.ForeignKey(Rubric, null=True, on_delete=models.PROTECT, related_name="repeat_votes")

    class Meta:
        indexes = [
            models.Index(fields=["judge", "cast_at"], name="repeat_vote_by_judge"),
            models.Index(fields=["cast_at"], condition=Q(locked_at__isnull=True), name="repeat_vote_not_locked"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["battle", "judge"], name="one_repeat_vote_per_judge_and_battle"),
            models.CheckConstraint(
                condition=Q(choice="lane", winner__isnull=False) | ~Q(choice="lane") & Q(winner__isnull=True),
                name="a_repeated_preference_names_its_lane",
            ),
        ]

    def __str__(self) -> str:
        return f"repeat vote {self.id}"


class RepeatCompletion(models.Model):
    """What the judge says of one lane at the second look."""

    vote = models.ForeignKey(RepeatVote, on_delete=models.PROTECT, related_name="completions")
    lane = models.ForeignKey(Lane, on_delete=models.PROTECT, related_name="repeat_completions")
    verdict = models.CharField(max_length=12, choices=Completion.Verdict.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["vote", "lane"], name="one_repeat_completion_per_vote_and_lane")]

    def __str__(self) -> str:
        return f"{self.verdict} for {self.lane_id}"
