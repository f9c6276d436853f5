#!/usr/bin/env python3
"""Ringside's command line."""

import os
import sys

from django.core.management import execute_from_command_line

from governance.errors import ArenaError

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except ArenaError as error:
        # Settings that cannot be used, or a service that does not come up: words for the person at the terminal.
        sys.stderr.write(f"{error.message}\n")
        sys.exit(1)
