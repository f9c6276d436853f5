"""Reports from the terminal: list what waits for an operator, bring a battle back, or void it."""

from typing import Any

from django.utils import timezone

from arena_site.management.operating import ACTOR, OperatorCommand, due_words, row_named
from judging.models import Report
from judging.objections import REPORT_KINDS, NoSuchReport, open_reports, resolve_report


class Command(OperatorCommand):
    help = (
        "Decide reports: a reported battle is hidden until an operator brings it back or voids it, also after the "
        "deadline. Exit status 2 when a request is refused."
    )

    def add_actions(self, actions: Any) -> None:
        actions.add_parser("list", help="Show the reports that wait, overdue ones first.")
        for name, words in (
            ("restore", "Bring the battle back."),
            ("void", "Take the battle out for good; this decides every report on it."),
        ):
            action = actions.add_parser(name, help=words)
            action.add_argument("report", help='Which; "reports list" names them.')
            action.add_argument("--reason", default="", help="Why, in words; it is kept, and shown on a void battle.")

    def _list(self, options: dict[str, Any]) -> None:
        rows = [_row(report) for report in open_reports()]
        self.tell(options, rows, [line for row in rows for line in _lines(row)] or ["No report waits."])

    def _restore(self, options: dict[str, Any]) -> None:
        report = _decide(options, Report.Resolution.RESTORED)
        others = open_reports().filter(battle=report.battle_id).count()
        hides = f" {others} more on the same battle still hides it." if others == 1 else ""
        hides = f" {others} more on the same battle still hide it." if others > 1 else hides
        words = f"Battle {report.battle_id}: the report was decided, restored.{hides}"
        self.tell(options, _row(report), [words])

    def _void(self, options: dict[str, Any]) -> None:
        report = _decide(options, Report.Resolution.VOIDED)
        words = f"Battle {report.battle_id} is void; every report on it is decided."
        self.tell(options, _row(report), [words])


def _decide(options: dict[str, Any], resolution: Report.Resolution) -> Report:
    report = row_named(Report.objects.all(), options["report"], NoSuchReport())
    return resolve_report(report_id=report.pk, resolution=resolution, actor=ACTOR, reason=options["reason"])


def _lines(row: dict[str, Any]) -> list[str]:
    due = due_words(overdue=row["overdue"], due_at=row["due_at"])
    lines = [
        f"{row['id']}  {row['kind']:<8}  {due}  battle {row['battle']}",
        f"  {REPORT_KINDS.get(row['kind'], row['kind'])}, says judge {row['judge']}.",
    ]
    return [*lines, f"  {' '.join(row['note'].split())}"] if row["note"] else lines


def _row(report: Report) -> dict[str, Any]:
    return {
        "id": str(report.pk),
        "battle": str(report.battle_id),
        "judge": report.judge_id,
        "kind": report.kind,
        "note": report.note,
        "opened_at": report.opened_at.isoformat(),
        "due_at": report.due_at.isoformat(),
        "overdue": report.resolved_at is None and report.due_at <= timezone.now(),
        "resolution": report.resolution,
        "reason": report.resolved_reason,
    }
