"""Names under which a provider serves one version after the other. Append-only."""

from django.db import models
from django.utils import timezone

from battles.models.agents import Agent


class AgentAlias(models.Model):
    """From an instant on, a name stands for one agent: a version of its own on the board."""

    alias = models.CharField(max_length=120)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="aliases")
    effective_from = models.DateTimeField(null=True, help_text="Null: since ever.")
    source = models.CharField(max_length=300, help_text="Where the change is announced, and when it was read.")
    entered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["alias", "effective_from"]
        verbose_name_plural = "agent aliases"
        constraints = [
            models.UniqueConstraint(
                fields=["alias", "effective_from"], name="one_agent_per_alias_and_instant", nulls_distinct=False
            ),
            models.CheckConstraint(condition=~models.Q(alias=""), name="an_alias_is_a_name"),
        ]

    def __str__(self) -> str:
        return f"{self.alias} is {self.agent_id}"
