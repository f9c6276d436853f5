"""Check that the draw keeps its promises."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from battles.draws import pick_battle_pair
from battles.fairness import (
    check_every_pair_is_reached,
    check_newcomers_converge,
    check_slots_are_balanced,
    check_stored_probabilities,
    check_takes_nothing,
)


class Command(BaseCommand):
    help = (
        "Simulate the draw: stored probabilities against frequencies, every pair reached, slots balanced, newcomers "
        "converging, and no caller input. Exit status 1 when a promise is broken."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = [
            check_takes_nothing(pick_battle_pair),
            check_every_pair_is_reached(),
            check_stored_probabilities(),
            check_slots_are_balanced(),
            check_newcomers_converge(),
        ]
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings]))
        else:
            for finding in findings:
                self.stdout.write(f"{'kept  ' if finding.kept else 'BROKEN'}  {finding.promise}: {finding.evidence}")
        sys.exit(0 if all(finding.kept for finding in findings) else 1)
