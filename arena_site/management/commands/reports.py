"""Reports from the terminal: list what waits for an operator, bring a battle back, or void it."""

import json
import sys
import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from arena_site.services.embedded import running_services
from governance.errors import ArenaError
from judging.models import Report
from judging.objections import REPORT_KINDS, NoSuchReport, open_reports, resolve_report

ACTOR = "operator:terminal"


class Command(BaseCommand):
    help = (
        "Decide reports: a reported battle is hidden until an operator brings it back or voids it. Exit status 2 when "
        "a request is refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="list|restore|void")
        listed = actions.add_parser("list", help="Show the reports that wait, the most urgent first.")
        listed.add_argument("--json", action="store_true", help="Print them as JSON.")
        for name, words in (
            ("restore", "Bring the battle back."),
            ("void", "Take the battle out for good; this decides every report on it."),
        ):
            action = actions.add_parser(name, help=words)
            action.add_argument("report", help='Which; "reports list" names them.')
            action.add_argument("--reason", default="", help="Why, in words; it is kept, and shown on a void battle.")
            action.add_argument("--json", action="store_true", help="Print the decision as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        with running_services(owner="manage.py reports"):
            try:
                getattr(self, f"_{options['action']}")(options)
            except ArenaError as refusal:
                self.stderr.write(f"{refusal.message} [{refusal.code}]")
                sys.exit(2)

    def _list(self, options: dict[str, Any]) -> None:
        rows = [_row(report) for report in open_reports()]
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        for row in rows:
            mark = "OVERDUE since" if row["overdue"] else "due"
            self.stdout.write(f"{row['id']}  {row['kind']:<8}  {mark} {row['due_at'][:16]} UTC  battle {row['battle']}")
            self.stdout.write(f"  {REPORT_KINDS.get(row['kind'], row['kind'])}, says judge {row['judge']}.")
            if row["note"]:
                self.stdout.write(f"  {' '.join(row['note'].split())}")
        if not rows:
            self.stdout.write("No report waits.")

    def _restore(self, options: dict[str, Any]) -> None:
        report = _decide(options, Report.Resolution.RESTORED)
        others = open_reports().filter(battle=report.battle_id).count()
        hides = f" {others} more on the same battle still hides it." if others == 1 else ""
        hides = f" {others} more on the same battle still hide it." if others > 1 else hides
        self._tell(options, report, f"Battle {report.battle_id}: the report was decided, restored.{hides}")

    def _void(self, options: dict[str, Any]) -> None:
        report = _decide(options, Report.Resolution.VOIDED)
        self._tell(options, report, f"Battle {report.battle_id} is void; every report on it is decided.")

    def _tell(self, options: dict[str, Any], report: Report, words: str) -> None:
        self.stdout.write(json.dumps(_row(report), ensure_ascii=False) if options["json"] else words)


def _decide(options: dict[str, Any], resolution: Report.Resolution) -> Report:
    try:
        report_id = uuid.UUID(options["report"])
    except ValueError:
        raise NoSuchReport from None
    return resolve_report(report_id=report_id, resolution=resolution, actor=ACTOR, reason=options["reason"])


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
