#!/usr/bin/env python3
"""Ringside's command line."""

import os
import sys

from django.core.management import ManagementUtility
from django.core.management.base import BaseCommand

from arena_site.control_characters import speak_plainly
from governance.errors import ArenaError


class CommandLine(ManagementUtility):
    def fetch_command(self, subcommand: str) -> BaseCommand:
        """The command, which says nothing that a terminal would obey. Django's own colour what they say themselves."""
        command = super().fetch_command(subcommand)
        return command if type(command).__module__.startswith("django.") else speak_plainly(command)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
    try:
        CommandLine(sys.argv).execute()
    except ArenaError as error:
        # Settings that cannot be used, or a service that does not come up: words for the person at the terminal.
        sys.stderr.write(f"{error.message}\n")
        sys.exit(1)
