"""Calibration rounds from the terminal: what one can be made of, start it, read how far the group agrees, close it."""

from typing import Any

from django.utils.text import Truncator

from arena_site.management.agreement_words import agreement_lines, agreement_row, missing_lines
from arena_site.management.operating import ACTOR, OperatorCommand, judge_named, row_named
from battles.shown_words import shown_task
from governance.errors import NotFound
from judging.models import CalibrationRound
from judging.rounds import end_round, read_round, start_round, usable_battles

#: Words of a task that tell it from the others on one line.
TASK_CHARACTERS = 60


class NoSuchRound(NotFound):
    code = "no_such_round"

    def __init__(self) -> None:
        super().__init__('There is no such round. "rounds list" names them.')


class NoUsableBattle(NotFound):
    code = "no_usable_battle"

    def __init__(self) -> None:
        super().__init__('No round can be made of this battle. "rounds battles" names those that one can be made of.')


class Command(OperatorCommand):
    help = (
        "A calibration round: every judge of a group labels the same battles, and their agreement is read before their "
        "votes are relied on. Its battles rate nobody. Exit status 2 when a request is refused."
    )

    def add_actions(self, actions: Any) -> None:
        actions.add_parser("battles", help="Show what a round can be made of, the longest waiting first.")
        start = actions.add_parser("start", help="Take battles into a round; the group is handed them first of all.")
        start.add_argument("name", help="What to call it.")
        start.add_argument("--battle", action="append", default=[], dest="battles", help="One of them; repeat it.")
        start.add_argument("--judge", action="append", default=[], dest="judges", help="One of the group; repeat it.")
        actions.add_parser("list", help="Show the rounds, the newest first.")
        for name, words in (
            ("read", "Show how far the group agrees, and who is still to judge what."),
            ("close", "Hand out no more of it; what was said stays."),
        ):
            actions.add_parser(name, help=words).add_argument("round", help='Which; "rounds list" names them.')

    def _battles(self, options: dict[str, Any]) -> None:
        battles = list(usable_battles())
        rows = [
            {
                "id": str(battle.pk),
                "kind": battle.kind,
                "instruction": shown_task(battle.task, original=False)["instruction"],
            }
            for battle in battles
        ]
        lines = [
            f"{row['id']}  {row['kind']:<8}  {Truncator(row['instruction']).chars(TASK_CHARACTERS)}" for row in rows
        ]
        self.tell(options, rows, lines or ["No practice or gold battle waits for its first judge."])

    def _start(self, options: dict[str, Any]) -> None:
        started = start_round(
            name=options["name"],
            battles=[row_named(usable_battles(), battle, NoUsableBattle()) for battle in options["battles"]],
            judges=[judge_named(judge) for judge in dict.fromkeys(options["judges"])],
            actor=ACTOR,
        )
        words = f"Round {started.pk} has started; read it with: manage.py rounds read {started.pk}"
        self.tell(options, _row(started), [words])

    def _list(self, options: dict[str, Any]) -> None:
        rows = [_row(found) for found in CalibrationRound.objects.order_by("-pk")]
        lines = [
            f"{row['id']}  {row['state']:<6}  {row['battles']} battles, {row['judges']} judges  {row['name']}"
            for row in rows
        ]
        self.tell(options, rows, lines or ["There is no round yet."])

    def _read(self, options: dict[str, Any]) -> None:
        found = _round(options)
        reading = read_round(found)
        row = _row(found) | {"agreement": agreement_row(reading.agreement), "missing": reading.missing}
        waits = list(missing_lines(reading.missing)) or ["Nobody has a battle left."]
        self.tell(options, row, [*agreement_lines(reading.agreement), *waits])

    def _close(self, options: dict[str, Any]) -> None:
        ended = end_round(calibration_round=_round(options), actor=ACTOR)
        self.tell(options, _row(ended), [f"Round {ended.pk} is closed."])


def _round(options: dict[str, Any]) -> CalibrationRound:
    return row_named(CalibrationRound.objects.all(), options["round"], NoSuchRound())


def _row(found: CalibrationRound) -> dict[str, Any]:
    return {
        "id": str(found.pk),
        "name": found.name,
        "state": "closed" if found.ended_at else "open",
        "rubric": found.rubric_id,
        "started_at": found.started_at.isoformat(),
        "battles": found.battles.count(),
        "judges": found.judges.count(),
    }
