"""The price table: what model calls cost, by list price and date."""

import json
from argparse import ArgumentParser
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from arena_site.services.embedded import running_services
from battles.costs import TokenPrices, parse_dollars
from battles.models import Price
from battles.prices import enter_price, price_table_version
from battles.spending import spent_since, start_of_day
from governance.errors import ArenaError


class Command(BaseCommand):
    help = (
        "Enter and list what models cost, in USD per million tokens. Prices are never changed: a new one holds from "
        "its instant on. Limits on spending need a price for every model that may be drawn."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="add|list|spent")
        add = actions.add_parser("add", help="Enter a price.")
        add.add_argument("model_version", help="The pinned version, as on the roster.")
        add.add_argument("--input", required=True, help="Plain input.")
        add.add_argument("--output", required=True, help="Output, reasoning included.")
        add.add_argument("--cache-read", help="Input read from a cache. Without it: as plain input.")
        add.add_argument("--cache-write", help="Input written to a cache. Without it: as plain input.")
        add.add_argument("--source", required=True, help="Where the price is published, and when you read it.")
        add.add_argument("--from", dest="effective_from", help="Instant, such as 2026-11-01T00:00:00Z. Default: now.")
        listed = actions.add_parser("list", help="Show the table.")
        listed.add_argument("--json", action="store_true", help="Print it as JSON.")
        spent = actions.add_parser("spent", help="Show what model calls cost today (UTC), by provider.")
        spent.add_argument("--json", action="store_true", help="Print it as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        with running_services(owner="manage.py prices"):
            try:
                if options["action"] == "add":
                    self._add(options)
                elif options["action"] == "spent":
                    self._spent(options["json"])
                else:
                    self._list(options["json"])
            except ArenaError as refusal:
                raise CommandError(f"{refusal.message} [{refusal.code}]") from refusal

    def _add(self, options: dict[str, Any]) -> None:
        tokens = TokenPrices(
            input_plain=_amount("--input", options["input"]),
            output=_amount("--output", options["output"]),
            input_cache_read=_optional("--cache-read", options["cache_read"]),
            input_cache_write=_optional("--cache-write", options["cache_write"]),
        )
        price = enter_price(
            model_version=options["model_version"],
            tokens=tokens,
            source=options["source"],
            effective_from=_instant(options["effective_from"]),
            actor="operator:terminal",
        )
        self.stdout.write(f"{price.model_version} costs that from {price.effective_from:%Y-%m-%d %H:%M} UTC on.")

    def _spent(self, as_json: bool) -> None:
        spent = spent_since(start_of_day(timezone.now()))
        if as_json:
            amounts = {provider: str(amount) for provider, amount in sorted(spent.by_provider.items())}
            report = {"unit": "USD", "by_provider": amounts, "total": str(spent.total), "unknown": spent.unknown_calls}
            self.stdout.write(json.dumps(report))
            return
        for provider, amount in sorted(spent.by_provider.items()):
            self.stdout.write(f"{provider:<24} {amount:.4f} USD")
        self.stdout.write(f"{'all':<24} {spent.total:.4f} USD, {spent.unknown_calls} calls of unknown cost beside it")

    def _list(self, as_json: bool) -> None:
        rows = list(Price.objects.all())
        if as_json:
            table = [
                {
                    "model_version": price.model_version,
                    "effective_from": price.effective_from.isoformat(),
                    **price.tokens.as_settings(),
                    "source": price.source,
                }
                for price in rows
            ]
            self.stdout.write(json.dumps({"version": price_table_version(), "unit": "USD/1M tokens", "prices": table}))
            return
        for price in rows:
            self.stdout.write(
                f"{price.model_version}  from {price.effective_from:%Y-%m-%d %H:%M} UTC  "
                f"input {price.input_plain.normalize():f}  output {price.output.normalize():f}  {price.source}"
            )
        if not rows:
            self.stdout.write("The table is empty.")


def _amount(option: str, text: str) -> Decimal:
    try:
        return parse_dollars(text)
    except ValueError as problem:
        raise CommandError(f"{option} {problem}.") from problem


def _optional(option: str, text: str | None) -> Decimal | None:
    return None if text is None else _amount(option, text)


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        instant = parse_datetime(text)
    except ValueError:
        instant = None
    if instant is None:
        raise CommandError("--from must be an instant such as 2026-11-01T00:00:00Z.")
    return instant if timezone.is_aware(instant) else timezone.make_aware(instant)
