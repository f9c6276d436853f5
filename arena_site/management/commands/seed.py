"""Roster the reference agents and archive the consent sentence, where they are missing."""

from typing import Any

from django.core.management.base import BaseCommand

from arena_site.seed import seed


class Command(BaseCommand):
    help = "Roster the three reference agents and archive the consent sentence. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        added = seed()
        self.stdout.write(f"{added} reference agents added." if added else "The roster is seeded already.")
