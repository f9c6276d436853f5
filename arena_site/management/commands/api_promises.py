"""Print what the API promises, or see whether a promise of before is broken."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena_site.rest.promises import KEPT, broken, promises
from arena_site.rest.schema_document import schema_document


class Command(BaseCommand):
    help = (
        "What the API promises, a line for each address, parameter, field, header and code. Without options: whether "
        "anything of docs/api-promises.txt is promised no more, which would break programs of others."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--write", action="store_true", help="write docs/api-promises.txt; part of every release")
        parser.add_argument("--json", action="store_true", help="print the promises as a list")

    def handle(self, *args: Any, **options: Any) -> None:
        now = promises(schema_document())
        if options["json"]:
            self.stdout.write(json.dumps(now, ensure_ascii=False))
            return
        if options["write"]:
            KEPT.write_text("\n".join(now) + "\n", encoding="utf-8")
            self.stdout.write(f"{len(now):,} promises are written down in {KEPT.name}.")
            return
        found = broken(KEPT.read_text(encoding="utf-8").splitlines(), now)
        if found:
            raise CommandError("Broken: \n" + "\n".join(found))
        self.stdout.write("Everything that was promised is there.")
