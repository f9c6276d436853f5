"""Publications, the refits that made them, and the ticker."""

from django.db import models
from django.utils import timezone

from battles.models import Agent, Battle


class Board(models.TextChoices):
    """Which comparisons a standing is made of."""

    HEADLINE = "headline", "model agents on people's tasks"
    DEMO = "demo", "baseline agents and practice tasks"


class Publication(models.Model):
    """An immutable document of numbers with their definitions, named by its digest. Append-only."""

    digest = models.CharField(primary_key=True, max_length=64)
    board = models.CharField(max_length=10, choices=Board.choices)
    number = models.PositiveIntegerField()
    previous = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="next")
    corpus_digest = models.CharField(max_length=64)
    public_digest = models.CharField(max_length=64)
    labels_cast = models.PositiveIntegerField(help_text="Labels seen, for the gate of the next publication.")
    labels_withdrawn = models.PositiveIntegerField(default=0, help_text="How many of them had been taken back.")
    corpus_read_at = models.DateTimeField(
        null=True, help_text="As of when the corpus was read: reading it as of then makes the same numbers again."
    )
    document = models.TextField(help_text="Canonical JSON with counts, for staff.")
    public_document = models.TextField(help_text="Canonical JSON without sample sizes, served as stored.")
    published_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["board", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["board"], condition=models.Q(previous__isnull=True), name="one_first_publication_per_board"
            ),
            models.UniqueConstraint(fields=["board", "number"], name="publications_are_numbered"),
        ]

    def __str__(self) -> str:
        return f"{self.board} {self.number}"


def latest_publication(board: Board) -> Publication | None:
    """The publication in force on a board."""
    return Publication.objects.filter(board=board).order_by("-number").first()


class Refit(models.Model):
    """One run of the fit. A failed one publishes nothing and says why."""

    class Outcome(models.TextChoices):
        RUNNING = "running"
        PUBLISHED = "published"
        UNCHANGED = "unchanged"
        FAILED = "failed"

    board = models.CharField(max_length=10, choices=Board.choices)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.RUNNING)
    reason = models.CharField(max_length=500, blank=True)
    publication = models.ForeignKey(Publication, null=True, on_delete=models.PROTECT, related_name="refits")
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"refit of {self.board} at {self.started_at}"


class TickerPoint(models.Model):
    """One update of the running Elo: an agent's points before and after one locked vote."""

    board = models.CharField(max_length=10, choices=Board.choices)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="ticker_points")
    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="ticker_points")
    vote_id = models.UUIDField()
    before = models.FloatField()
    after = models.FloatField()
    battles_before = models.PositiveIntegerField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["board", "agent", "-id"], name="ticker_latest")]
        constraints = [models.UniqueConstraint(fields=["vote_id", "agent"], name="one_ticker_point_per_vote_and_agent")]

    def __str__(self) -> str:
        return f"{self.agent_id}: {self.before:.0f} to {self.after:.0f}"
