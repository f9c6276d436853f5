"""Publications of measures."""

from django.db import models
from django.utils import timezone

from ratings.models import Board, Publication
from ratings.standings import board_in_force


class MeasuresPublication(models.Model):
    """An immutable document of all measures of a board, named by its digest and chained. Append-only."""

    digest = models.CharField(primary_key=True, max_length=64)
    board = models.CharField(max_length=10, choices=Board.choices)
    number = models.PositiveIntegerField()
    previous = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="next")
    #: The publication of ratings whose numbers it repeats; null before the first one.
    ratings = models.ForeignKey(Publication, null=True, on_delete=models.PROTECT, related_name="measures")
    public_digest = models.CharField(max_length=64, unique=True)
    read_at = models.DateTimeField(help_text="As of when the records were read.")
    document = models.TextField(help_text="Canonical JSON with counts, for staff.")
    public_document = models.TextField(help_text="Canonical JSON without sample sizes, served as stored.")
    published_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["board", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["board"], condition=models.Q(previous__isnull=True), name="one_first_measures_per_board"
            ),
            models.UniqueConstraint(fields=["board", "number"], name="measures_are_numbered"),
        ]

    def __str__(self) -> str:
        return f"measures of {self.board} {self.number}"


def latest_measures(board: Board) -> MeasuresPublication | None:
    """The publication of measures in force on a board."""
    return MeasuresPublication.objects.filter(board=board).order_by("-number").first()


def measures_in_force() -> MeasuresPublication | None:
    """Those of the board whose standings are shown, else of the other one, else None."""
    standings = board_in_force()
    first = Board(standings.board) if standings else Board.HEADLINE
    return next((found for board in (first, *Board) if (found := latest_measures(board)) is not None), None)
