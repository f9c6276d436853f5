"""Expert panels from the terminal: create one, admit its judges, race its tasks, read its own fit, close it."""

from collections.abc import Iterator
from typing import Any

from django.utils.text import Truncator

from arena_site.management.agreement_words import agreement_lines, agreement_row, missing_lines
from arena_site.management.commands.rounds import TASK_CHARACTERS, NoSuchRound
from arena_site.management.operating import ACTOR, OperatorCommand, judge_named, row_named
from battles.models import Task
from battles.shown_words import shown_task
from governance.errors import NotFound
from judging.models import CalibrationRound, Panel
from judging.panels import admit_judge, close_panel, open_panel, race_panel, read_panel, usable_tasks
from ratings.headline import AgentRating
from ratings.panel_fits import PanelFit, fit_panel


class NoSuchPanel(NotFound):
    code = "no_such_panel"

    def __init__(self) -> None:
        super().__init__('There is no such panel. "panels list" names them.')


class NoSuchTask(NotFound):
    code = "no_such_task"

    def __init__(self) -> None:
        super().__init__('There is no such task. "panels tasks" names those that a panel can be opened on.')


class Command(OperatorCommand):
    help = (
        "An expert panel: judges of a named qualification on fixed tasks, with a fit of its own that is never pooled "
        "with the headline. Exit status 2 when a request is refused."
    )

    def add_actions(self, actions: Any) -> None:
        actions.add_parser("tasks", help="Show the tasks that a panel can be opened on, the newest first.")
        create = actions.add_parser("create", help="Open a panel on tasks that stay as they are.")
        create.add_argument("name", help="What to call it.")
        create.add_argument("--qualification", required=True, help="What its judges have shown proof of.")
        create.add_argument("--task", action="append", default=[], dest="tasks", help="One of them; repeat it.")
        create.add_argument("--round", default="", help="The calibration round its judges come from.")
        actions.add_parser("list", help="Show the panels, the newest first.")
        for name, words in (
            ("admit", "Put a judge on the panel whose qualification you have seen."),
            ("race", "Draw and queue a battle on each of its tasks."),
            ("read", "Show its agreement and its own fit."),
            ("close", "Hand out no more of its battles."),
        ):
            action = actions.add_parser(name, help=words)
            action.add_argument("panel", help='Which; "panels list" names them.')
            if name == "admit":
                action.add_argument("judge", help="Whom.")

    def _tasks(self, options: dict[str, Any]) -> None:
        rows = [
            {"id": str(task.pk), "instruction": shown_task(task, original=False)["instruction"]}
            for task in usable_tasks()
        ]
        lines = [f"{row['id']}  {Truncator(row['instruction']).chars(TASK_CHARACTERS)}" for row in rows]
        self.tell(options, rows, lines or ["There is no task yet that a panel can be opened on."])

    def _create(self, options: dict[str, Any]) -> None:
        named = options["round"]
        panel = open_panel(
            name=options["name"],
            qualification=options["qualification"],
            tasks=[row_named(Task.objects.all(), task, NoSuchTask()) for task in dict.fromkeys(options["tasks"])],
            actor=ACTOR,
            calibration_round=row_named(CalibrationRound.objects.all(), named, NoSuchRound()) if named else None,
        )
        words = f"Panel {panel.pk} is open; admit its judges with: manage.py panels admit {panel.pk} JUDGE"
        self.tell(options, _row(panel), [words])

    def _list(self, options: dict[str, Any]) -> None:
        rows = [_row(panel) for panel in Panel.objects.order_by("-pk")]
        lines = [
            f"{row['id']}  {row['state']:<6}  {row['judges']} judges, {row['tasks']} tasks  {row['name']} "
            f"({row['qualification']})"
            for row in rows
        ]
        self.tell(options, rows, lines or ["There is no panel yet."])

    def _admit(self, options: dict[str, Any]) -> None:
        panel = _panel(options)
        place = admit_judge(panel=panel, judge=judge_named(options["judge"]), actor=ACTOR)
        self.tell(options, _row(panel), [f"Judge {place.judge_id} is on the panel {panel.name}."])

    def _race(self, options: dict[str, Any]) -> None:
        battles = race_panel(panel=_panel(options), actor=ACTOR)
        self.tell(options, {"battles": [str(battle.pk) for battle in battles]}, [f"{len(battles)} battles are queued."])

    def _read(self, options: dict[str, Any]) -> None:
        panel = _panel(options)
        reading, fitted = read_panel(panel), fit_panel(panel)
        row = _row(panel) | {
            "battles": reading.battles,
            "missing": reading.missing,
            "agreement": agreement_row(reading.agreement),
            "labels": fitted.labels,
            "ratings": [_rating_row(rating) for rating in _ranked(fitted)],
        }
        waits = missing_lines(reading.missing)
        self.tell(options, row, [*agreement_lines(reading.agreement), *waits, *_fit_lines(fitted)])

    def _close(self, options: dict[str, Any]) -> None:
        panel = close_panel(panel=_panel(options), actor=ACTOR)
        self.tell(options, _row(panel), [f"Panel {panel.name} is closed."])


def _panel(options: dict[str, Any]) -> Panel:
    return row_named(Panel.objects.all(), options["panel"], NoSuchPanel())


def _row(panel: Panel) -> dict[str, Any]:
    return {
        "id": str(panel.pk),
        "name": panel.name,
        "qualification": panel.qualification,
        "state": "closed" if panel.closed_at else "open",
        "fit": panel.fit_label,
        "rubric": panel.rubric_id,
        "round": str(panel.round_id) if panel.round_id else None,
        "tasks": panel.tasks.count(),
        "judges": panel.judges.count(),
    }


def _ranked(fitted: PanelFit) -> list[AgentRating]:
    """Rated agents best first, then those without a number."""
    rows = fitted.fit.agents if fitted.fit is not None else ()
    return sorted(rows, key=lambda row: (row.rating is None, -(row.rating or 0), row.agent))


def _rating_row(row: AgentRating) -> dict[str, Any]:
    return {
        "agent": row.agent,
        "rating": row.rating,
        "lower": row.lower,
        "upper": row.upper,
        "reason": row.reason,
        "battles": row.battles,
    }


def _fit_lines(fitted: PanelFit) -> Iterator[str]:
    yield f"{fitted.label}: {fitted.labels} labels of {fitted.judges} judges on {fitted.battles} battles"
    for row in _ranked(fitted):
        rating = "no rating" if row.rating is None else f"{row.rating:.0f}"
        interval = f" ({row.lower:.0f} to {row.upper:.0f})" if row.lower is not None and row.upper is not None else ""
        reason = f"  {row.reason}" if row.reason else ""
        yield f"  {row.agent:<30} {rating}{interval}{reason}"
