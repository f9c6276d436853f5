"""Versions that an operator joined to one row of the board, and joins that were undone. Append-only."""

from django.db import models
from django.utils import timezone

from battles.models.agents import Agent


class AgentMerge(models.Model):
    """From an instant on, fits count what an agent raced in the row of another one, or in its own again.

    The newest row of an agent is in force.
    """

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="merges")
    into = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+", help_text="Whose row counts both.")
    holds = models.BooleanField(help_text="False: the join ends.")
    reason = models.CharField(max_length=300, help_text="Published.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(agent=models.F("into")), name="no_agent_is_joined_to_itself"),
            models.CheckConstraint(condition=~models.Q(reason=""), name="a_merge_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} {'counts with' if self.holds else 'counts apart from'} {self.into_id}"
