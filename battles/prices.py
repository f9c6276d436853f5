"""The price table: entering prices, and finding the one that held at an instant."""

import hashlib
import json
from datetime import UTC, datetime

from django.db import transaction
from django.utils import timezone

from battles.costs import TokenPrices
from battles.models import Price
from battles.operator_text import clean_line
from governance.errors import ArenaError
from governance.journal import record

#: What the columns hold.
LONGEST_VERSION, LONGEST_SOURCE = 120, 300
#: No model had a price before, and nobody knows one after: a date outside is a slip, and a row cannot be taken back.
EARLIEST, LATEST = datetime(2015, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


class PriceRefused(ArenaError):
    code = "price_refused"


@transaction.atomic
def enter_price(
    *, model_version: str, tokens: TokenPrices, source: str, actor: str, effective_from: datetime | None = None
) -> Price:
    """Add a price to the table. Prices are never changed: a new one holds from its instant on.

    Raises:
        PriceRefused: no version or source, a date out of reach, or a price of that very instant is there.
        TextRefused: the version or the source cannot be kept as it is.
    """
    model_version = clean_line(model_version, field="model_version", longest=LONGEST_VERSION)
    source = clean_line(source, field="source", longest=LONGEST_SOURCE)
    effective_from = effective_from or timezone.now()
    if not model_version:
        raise PriceRefused("Say which pinned model version the price is for.", field="model_version")
    if not source:
        raise PriceRefused("Say where the price is published, and when you read it.", field="source")
    if not EARLIEST <= effective_from <= LATEST:
        raise PriceRefused(
            f"A price begins between {EARLIEST:%Y} and {LATEST:%Y}; was the date mistyped?", field="effective_from"
        )
    price, created = Price.objects.get_or_create(
        model_version=model_version,
        effective_from=effective_from,
        defaults={
            "input_plain": tokens.input_plain,
            "output": tokens.output,
            "input_cache_read": tokens.input_cache_read,
            "input_cache_write": tokens.input_cache_write,
            "source": source,
        },
    )
    if not created:
        raise PriceRefused(
            f"{model_version} has a price from that very instant; enter the right one from a later instant.",
            field="effective_from",
        )
    record(actor=actor, action="battles:price:enter", subject=model_version, effective_from=effective_from.isoformat())
    return price


def price_at(model_version: str, at: datetime) -> TokenPrices | None:
    """The price of a version that held at an instant (from is inclusive), or ``None`` when none did."""
    price = Price.objects.filter(model_version=model_version, effective_from__lte=at).order_by("effective_from").last()
    return price.tokens if price else None


def price_table_version() -> str:
    """Digest of the whole table: whoever publishes a cost names it."""
    rows = [
        [price.model_version, price.effective_from.isoformat(), price.tokens.as_settings()]
        for price in Price.objects.order_by("model_version", "effective_from")
    ]
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
