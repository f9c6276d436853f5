"""Figures of a host that runs workers and no web, for Prometheus."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

LISTEN = "127.0.0.1:9464"


class Command(BaseCommand):
    help = (
        "Serve /metrics of this host for whoever has ARENA_METRICS_TOKEN: where workers run and no web. Needs the data "
        "folder and the settings of those workers. Runs until it is told to stop."
    )
    #: It serves no page, and what checks look at is loaded anew by the server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--listen",
            default=LISTEN,
            metavar="HOST:PORT",
            help=f"Address and port to listen at; {LISTEN} without it. The token is sent in the clear: choose an "
            "address of a network of yours.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, _, port = options["listen"].rpartition(":")
        host = host.strip("[]")
        if not host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
            raise CommandError(f"--listen must be HOST:PORT, such as {LISTEN}.")
        if not settings.ARENA_METRICS_TOKEN:
            raise CommandError("There are no figures while ARENA_METRICS_TOKEN is not set: openssl rand -hex 24")
        words = ("-m", "granian", "--interface", "wsgi", "--host", host, "--port", port, "--no-ws", "--http", "1")
        more = ("--workers", "1", "--blocking-threads", "1", "--respawn-failed-workers", "--workers-kill-timeout", "5")
        command = [sys.executable, *words, *more, "arena_site.monitoring.listening:application"]
        # In the place of this process, so that whoever started it stops the server itself.
        os.execv(sys.executable, command)  # noqa: S606 - no shell is what is wanted
