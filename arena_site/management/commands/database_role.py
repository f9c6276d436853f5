"""What the owner of the database runs once, so that the site works under a role that owns nothing."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from arena_site.database_role import grants


class Command(BaseCommand):
    help = "Print the SQL that lets a role that owns no table run the site. Pipe it into psql as the owner."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("role", help="made before: CREATE ROLE name LOGIN PASSWORD '...'")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = str(connection.settings_dict["USER"] or "postgres")
        for statement in grants(role=options["role"], owner=owner):
            self.stdout.write(f"{statement};")
