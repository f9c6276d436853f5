"""Check that every belief on the mission page still has its mechanism."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from governance.claims import check
from governance.claims_document import document_problem, write_document
from governance.theses import Standing, theses


class Command(BaseCommand):
    help = (
        "Ask the mechanism behind every belief whether it still works: cited files and symbols are there, predicates "
        "hold and are false of a broken stand-in, and docs/claims.md quotes the constants of the code. Exit status 1 "
        "when anything of that fails."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")
        parser.add_argument("--belief", metavar="KEY", help="Ask this one only; the document is left alone.")
        parser.add_argument("--write", action="store_true", help="Write the beliefs in docs/claims.md anew.")

    def handle(self, *args: Any, **options: Any) -> None:
        only = options["belief"]
        claims = check(one for one in theses() if only in {None, one.key})
        if options["write"] and only is None:
            write_document(claims)
        quoted = document_problem(claims) if only is None else ""
        proven, stated = (claims.count(standing) for standing in Standing)
        if options["json"]:
            found = {
                "proven": proven,
                "stated": stated,
                "gaps": [asdict(gap) for gap in claims.gaps],
                "document": quoted,
            }
            self.stdout.write(json.dumps(found, ensure_ascii=False))
        else:
            for gap in claims.gaps:
                self.stdout.write(f"GAP  {gap.key}: {gap.why} ({gap.file}, {gap.symbol})")
            if quoted:
                self.stdout.write(f"DIFFERS  {quoted}")
            self.stdout.write(f"{proven} beliefs proven, {stated} stated, {len(claims.gaps)} gaps")
        sys.exit(1 if claims.gaps or quoted else 0)
