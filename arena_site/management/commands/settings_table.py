"""Print the table of settings, or write the page of the documentation that holds it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from arena_site.environment import CHECKOUT, settings_markdown

PAGE = CHECKOUT / "docs" / "settings.md"


class Command(BaseCommand):
    help = "Print every ARENA_* setting with its default as Markdown; --write updates docs/settings.md."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", action="store_true", help=f"Write {PAGE.relative_to(CHECKOUT)} instead.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["write"]:
            PAGE.write_text(settings_markdown(), encoding="utf-8")
        else:
            self.stdout.write(settings_markdown())
