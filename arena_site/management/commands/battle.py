"""Race one battle now and watch it in the terminal."""

import json
import os
import sys
import time
import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from arena_site.environment import read_environment
from arena_site.seed import seed
from arena_site.services.embedded import needed, running_services
from battles.checks import practice_tasks
from battles.intake import submit_task
from battles.lanes.events import LaneEnded, LaneEvent, LaneStarted
from battles.lanes.race import run_battle
from battles.models import Battle
from battles.practice import create_practice_battle
from battles.presentation import clock, shown_lanes, step_summary
from battles.racing import reap_lost_battles
from battles.tasks import worker_name
from governance.consent import current_text, give_consent
from governance.errors import ArenaError
from governance.models import Judge

#: States in which people can judge.
VOTABLE = {Battle.State.VOTABLE, Battle.State.RESOLVED, Battle.State.CLOSED}


class Command(BaseCommand):
    help = (
        "Race a task between two agents drawn from the roster, here and now, and print each step as it happens. "
        "Ends with one line of JSON. Exit status 0 when the battle can be judged, 1 when it cannot, 2 when the task "
        "was refused. Names of the agents are not shown: the battle waits to be judged blind on the site."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("instruction", nargs="?", default="", help="What should be done, 10 to 2,000 characters.")
        parser.add_argument("--url", default="", help="Where both agents start.")
        parser.add_argument(
            "--practice", metavar="KEY", help='Race a practice task instead; "--practice list" names them.'
        )
        parser.add_argument("--json", action="store_true", help="Print only the line of JSON at the end.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["practice"] == "list":
            self._list()
            return
        self._quiet = options["json"]
        with running_services(owner="manage.py battle"):
            if needed(read_environment(os.environ)):
                # A private database may be new: nobody has to start the site first to race in a terminal.
                call_command("migrate", interactive=False, verbosity=0)
                seed()
            self._run(options)

    def _run(self, options: dict[str, Any]) -> None:
        try:
            battle = self._battle(options)
        except ArenaError as refusal:
            self.stderr.write(f"{refusal.message} [{refusal.code}]")
            sys.exit(2)
        self._race(battle)
        battle.refresh_from_db()
        result = {
            "battle": str(battle.pk),
            "state": battle.state,
            "lanes": [
                {
                    "slot": lane.slot,
                    "ended": lane.ended,
                    "steps": lane.steps_charged,
                    "seconds": lane.seconds,
                    "passed": lane.passed,
                }
                for lane in shown_lanes(battle)
            ],
        }
        if battle.void_reason and not self._quiet:
            self.stdout.write(battle.void_reason)
        self.stdout.write(json.dumps(result))
        sys.exit(0 if battle.state in VOTABLE else 1)

    def _list(self) -> None:
        for key, task in practice_tasks().items():
            self.stdout.write(f"{key:32} {task.instruction}")

    def _battle(self, options: dict[str, Any]) -> Battle:
        if options["practice"]:
            if options["instruction"] or options["url"]:
                raise CommandError("Give either an instruction with --url, or --practice KEY.")
            return create_practice_battle(key=options["practice"], actor="system:terminal")
        if not options["instruction"] or not options["url"]:
            raise CommandError(
                'Give an instruction and --url, for example: battle "Find ..." --url https://example.org/'
            )
        # Whoever has a shell on this machine is the operator; each battle gets an identifier of its own.
        judge = Judge.objects.create()
        text = current_text()
        give_consent(judge=judge, text=text, rendered=text.sentence)
        return submit_task(
            judge=judge, instruction=options["instruction"], start_url=options["url"], doorbell=self._race_it_here
        )

    def _race_it_here(self, battle_id: uuid.UUID) -> None:
        """No doorbell: a worker would take the battle away from this terminal."""

    def _race(self, battle: Battle) -> None:
        """Race it in this process, again when an attempt broke; or wait for the worker that was quicker."""
        while not self._over(battle):
            if not run_battle(battle.pk, worker=worker_name(), listener=self._show):
                time.sleep(1)
                reap_lost_battles()

    def _over(self, battle: Battle) -> bool:
        battle.refresh_from_db()
        return battle.state not in {Battle.State.QUEUED, Battle.State.RACING}

    def _show(self, event: LaneEvent) -> None:
        if self._quiet:
            return
        if isinstance(event, LaneStarted):
            self.stdout.write(f"{event.slot}  0:00  starts at {event.url}")
        elif isinstance(event, LaneEnded):
            self.stdout.write(f"{event.slot}  {clock(event.seconds)}  {event.ending}: {event.answer or event.detail}")
        else:
            summary = step_summary(event.action.verb, dict(event.action.arguments), dict(event.target or {}))
            mark = "" if event.result.ok else f"  ({event.result.message})"
            self.stdout.write(f"{event.slot}  {clock(event.clock)}  {event.number:2}  {summary}{mark}")
