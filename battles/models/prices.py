"""List prices of models, dated. Append-only: a changed price is a new row from a later instant."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from battles.costs import TokenPrices


class Price(models.Model):
    """What one pinned model version costs from an instant on, in USD per million tokens."""

    model_version = models.CharField(max_length=120)
    effective_from = models.DateTimeField()
    input_plain = models.DecimalField(max_digits=12, decimal_places=6)
    output = models.DecimalField(max_digits=12, decimal_places=6)
    input_cache_read = models.DecimalField(
        null=True, max_digits=12, decimal_places=6, help_text="Null: billed as plain input."
    )
    input_cache_write = models.DecimalField(
        null=True, max_digits=12, decimal_places=6, help_text="Null: billed as plain input."
    )
    source = models.CharField(max_length=300, help_text="Where the price is published, and when it was read.")
    entered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["model_version", "effective_from"]
        constraints = [
            models.UniqueConstraint(fields=["model_version", "effective_from"], name="one_price_per_model_and_instant"),
            models.CheckConstraint(
                condition=Q(input_plain__gte=0, output__gte=0)
                & (Q(input_cache_read__isnull=True) | Q(input_cache_read__gte=0))
                & (Q(input_cache_write__isnull=True) | Q(input_cache_write__gte=0)),
                name="prices_are_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"price of {self.model_version} from {self.effective_from:%Y-%m-%d}"

    @property
    def tokens(self) -> TokenPrices:
        """The prices as plain values."""
        return TokenPrices(
            input_plain=self.input_plain,
            output=self.output,
            input_cache_read=self.input_cache_read,
            input_cache_write=self.input_cache_write,
        )
