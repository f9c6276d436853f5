"""What operators left out of the rated corpus by hand, and what they let in again."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from battles.models import Battle
from judging.models.votes import Vote


class Exclusion(models.Model):
    """An operator left a battle or one label out, or let it in again. Append-only; the newest row of each holds."""

    battle = models.ForeignKey(Battle, null=True, on_delete=models.PROTECT, related_name="exclusions")
    vote = models.ForeignKey(Vote, null=True, on_delete=models.PROTECT, related_name="exclusions")
    excluded = models.BooleanField()
    reason = models.CharField(max_length=500)
    actor = models.CharField(max_length=80)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["battle", "-id"], condition=Q(battle__isnull=False), name="exclusion_of_battle"),
            models.Index(fields=["vote", "-id"], condition=Q(vote__isnull=False), name="exclusion_of_vote"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(battle__isnull=False, vote__isnull=True) | Q(battle__isnull=True, vote__isnull=False),
                name="an_exclusion_is_of_a_battle_or_of_a_label",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="an_exclusion_has_a_reason"),
        ]

    def __str__(self) -> str:
        about = f"battle {self.battle_id}" if self.battle_id else f"vote {self.vote_id}"
        return f"{about} {'left out' if self.excluded else 'let in again'}"
