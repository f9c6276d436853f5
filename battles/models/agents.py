"""The roster: every agent that may be drawn, with its version pinned."""

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone

from battles.agent_names import normalise_name
from governance.kept import KeptModel


class Agent(KeptModel):
    """A roster entry: a pinned model version plus an adapter. A changed model is a new agent."""

    unrecorded_fields = frozenset({"published_rating", "published_at"})

    class Kind(models.TextChoices):
        MODEL = "model"
        BASELINE = "baseline"

    class State(models.TextChoices):
        """``RETIRED`` from the day of the notice on; it races until ``retired_at``."""

        ACTIVE = "active"
        RETIRED = "retired"

    class Cause(models.TextChoices):
        VERSION_WITHDRAWN = "version_withdrawn", "its version was withdrawn"
        SUPERSEDED = "superseded", "a newer version took its place"
        PROVIDER_REQUEST = "provider_request", "its provider asked for it"

    key = models.SlugField(primary_key=True, max_length=80)
    name = models.CharField(max_length=120, unique=True)
    provider = models.CharField(max_length=80)
    adapter = models.CharField(max_length=80, help_text="Which adapter drives it, for example reference-lexical.")
    model_version = models.CharField(max_length=120, help_text="The pinned version; a lane without one does not start.")
    base_url = models.URLField(blank=True)
    key_variable = models.CharField(
        max_length=80, blank=True, help_text="Environment variable that holds the key; the key itself is never stored."
    )
    parameters = models.JSONField(default=dict, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.MODEL)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    affiliated_from = models.DateTimeField(
        null=True, blank=True, help_text="From then on the operator has a stake in it: not drawn, not ranked."
    )
    #: From then on it is drawn no more; known from the notice on, which is given before.
    retired_at = models.DateTimeField(null=True, blank=True)
    retirement_noticed_at = models.DateTimeField(null=True, blank=True)
    retirement_cause = models.CharField(max_length=20, choices=Cause.choices, blank=True)
    retirement_reason = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    #: Written by each refit, so that the draw reads its own app's tables only. Points; null while unknown.
    published_rating = models.FloatField(null=True, blank=True, editable=False)
    published_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["key"]
        constraints = [
            models.CheckConstraint(condition=~Q(model_version=""), name="agent_has_a_pinned_version"),
            models.CheckConstraint(condition=~Q(name=""), name="agent_has_a_name"),
            models.CheckConstraint(
                condition=Q(state="active", retired_at__isnull=True) | Q(state="retired", retired_at__isnull=False),
                name="retired_agents_carry_the_date",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: object, **kwargs: object) -> None:
        """Names are stored in NFC without surrounding space, so that equal names are equal bytes."""
        self.name = normalise_name(self.name)
        super().save(*args, **kwargs)  # type: ignore[arg-type]  # Django's own signature, passed through

    @classmethod
    def racing(cls, now: datetime | None = None) -> models.QuerySet["Agent"]:
        """Those that may be drawn: not the operator's own by then, and not retired."""
        now = now or timezone.now()
        return cls.objects.exclude(retired_at__lte=now).exclude(affiliated_from__lte=now)

    def races(self, now: datetime | None = None) -> bool:
        """Whether it may be drawn, as :meth:`racing` says."""
        now = now or timezone.now()
        left = self.retired_at is not None and self.retired_at <= now
        return not left and not self.is_affiliated(now)

    def left_unraced(self, now: datetime | None = None) -> bool:
        """Whether it was retired by then and had no battle at all.

        While it may still be drawn it is false: words that changed would tell the day of its first battle.
        """
        left = self.retired_at is not None and self.retired_at <= (now or timezone.now())
        return left and not self.has_battles()

    def has_battles(self) -> bool:
        return self.battles_as_a.exists() or self.battles_as_b.exists()

    def is_affiliated(self, now: datetime | None = None) -> bool:
        """Whether the operator has a stake in it by then."""
        return self.affiliated_from is not None and self.affiliated_from <= (now or timezone.now())
