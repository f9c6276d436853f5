"""Bring everything up on this machine, and keep it up until Ctrl-C."""

import os
import signal
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import OperationalError, connections

from arena_site.environment import CHECKOUT, read_environment
from arena_site.seed import race_a_first_battle
from arena_site.services.embedded import EmbeddedServices
from arena_site.services.folders import PRIVATE_MODE, make_folder
from arena_site.supervisor import Supervisor, crew_for, insist_on_free_port, say_to_terminal, take_turn
from governance.errors import ArenaError

#: What a shell expects of a program that Ctrl-C ended.
INTERRUPTED = 130
#: Folders that hold what people did; their names are no secret, what is in them is.
PRIVATE_FOLDERS = ("frames", "logs")


class Command(BaseCommand):
    help = (
        "Start the database, the broker, the site, the workers and the clock, and keep them running until Ctrl-C. "
        "Services that have an address of their own (ARENA_DATABASE_URL, ARENA_REDIS_URL) are used, not started. "
        "A first Ctrl-C lets battles finish; a second one hands them back."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, help="Port of the site on 127.0.0.1; ARENA_PORT when not given.")

    def handle(self, *args: Any, **options: Any) -> NoReturn:
        values = read_environment(os.environ)
        port: int = options["port"] or values["ARENA_PORT"]
        services = EmbeddedServices(values, owner="the supervisor")
        try:
            insist_on_free_port(port)
            data = make_folder(values["ARENA_DATA_DIR"])
            with take_turn(data, port):
                sys.exit(self._run(services, data, port, values["ARENA_LANE_SLOTS"], options["verbosity"]))
        except ArenaError as error:
            self.stderr.write(error.message)
            sys.exit(1)
        except OperationalError as error:
            self.stderr.write(f"The database does not answer: {error}")
            sys.exit(1)
        except KeyboardInterrupt:
            say_to_terminal("Stopped.")
            sys.exit(INTERRUPTED)

    def _run(self, services: EmbeddedServices, data: Path, port: int, lane_slots: int, verbosity: int) -> int:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            say_to_terminal("Starting the database.")
            services.start()
            for name in PRIVATE_FOLDERS:
                make_folder(data / name).chmod(PRIVATE_MODE)
            self._prepare()
            supervisor = Supervisor(
                services=services,
                crew=crew_for(port=port, lane_slots=lane_slots),
                port=port,
                logs=None if verbosity > 1 else data / "logs",
                folder=CHECKOUT,
                say=say_to_terminal,
            )
            return supervisor.run()
        finally:
            services.stop()

    def _prepare(self) -> None:
        """Bring the database, its first rows and the static files up to date."""
        say_to_terminal("Bringing the database up to date.")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("seed", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        race_a_first_battle()
        connections.close_all()
        say_to_terminal("Starting the site and its workers.")
