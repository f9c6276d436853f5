"""Check that a lane reaches public sites and nothing else."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from battles.lanes.chromium import LaunchFailed, NoChromium
from battles.lanes.egress import EgressUnavailable
from battles.lanes.egress_cases import SHIPPED_CASES, read_cases, wrong_cases
from battles.lanes.egress_probe import LayerReport, ProbeFailed, run_probe
from battles.lanes.runtime_dir import RuntimeDirUnusable


class Command(BaseCommand):
    help = (
        "Run egress cases against the policy. Without --cases: the cases that come with the arena, and then a real "
        "Chromium behind a lane's own proxy, with a rebinding resolver, redirects, sockets, service workers, WebRTC, "
        "other schemes: first in its network namespace and then on its flags alone. Exit status 1 when a case is wrong "
        "or anything was reached."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--cases",
            type=Path,
            metavar="FILE",
            help="JSON lines (.gz too) with id, url, expect (allow or block), and dns, cname, redirects where needed. "
            "Only these are run.",
        )
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            cases = read_cases(options["cases"] or SHIPPED_CASES)
        except (OSError, ValueError) as problem:
            raise CommandError(f"The cases cannot be read: {problem}") from problem
        wrong = wrong_cases(cases)
        layers = None if options["cases"] else self._probe(options["json"])
        if options["json"]:
            found: dict[str, Any] = {"cases": len(cases), "wrong": wrong}
            if layers is not None:
                found["layers"] = [asdict(layer) for layer in layers]
            self.stdout.write(json.dumps(found))
        else:
            self.stdout.write(f"{len(cases)} cases, {len(wrong)} wrong{': ' if wrong else ''}{', '.join(wrong)}")
        sys.exit(1 if wrong or not all(layer.holds for layer in layers or ()) else 0)

    def _probe(self, quiet: bool) -> list[LayerReport]:
        layers = []
        try:
            for isolate in (True, False):
                layers.append(run_probe(isolate=isolate))
                if not quiet:
                    self._tell(layers[-1])
                if isolate and not layers[-1].isolated:
                    self.stderr.write("This machine refuses network namespaces: lanes rely on Chromium's flags alone.")
                    break
        except (NoChromium, LaunchFailed, EgressUnavailable, RuntimeDirUnusable, ProbeFailed) as problem:
            raise CommandError(f"The browser could not be driven: {problem}") from problem
        return layers

    def _tell(self, layer: LayerReport) -> None:
        where = "in a network namespace" if layer.isolated else "on its flags alone"
        sandbox = "with" if layer.sandboxed else "WITHOUT"
        self.stdout.write(f"Chromium {where}, {sandbox} its sandbox: {layer.attempts} ways out tried")
        for reached in layer.reached:
            self.stdout.write(f"  REACHED  {reached}")
        for missing in layer.missing:
            self.stdout.write(f"  CONTROL FAILED  {missing}; that nothing was reached means nothing")
        if layer.holds:
            self.stdout.write("  nothing was reached that must not be")
