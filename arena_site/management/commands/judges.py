"""Judges from the terminal: list, suspend and reinstate them, and decide about votes that were put aside."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import Count, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from arena_site.services.embedded import running_services
from governance.errors import ArenaError, NotFound
from governance.models import Judge
from judging.models import HeldLabel, TrustChange
from judging.trust import State, decide_hold, open_holds, overdue_holds, reinstate_judge, suspend_judge

ACTOR = "operator:terminal"
#: A terminal shows so many; whoever wants all of them says so.
LISTED = 50
#: Identifiers of held votes are whole numbers of this many digits at most.
HOLD_DIGITS = 18


class NoSuchJudge(NotFound):
    code = "no_such_judge"

    def __init__(self) -> None:
        super().__init__('There is no such judge. "judges list" and "reports list" name them.')


class NoSuchHold(NotFound):
    code = "no_such_hold"

    def __init__(self) -> None:
        super().__init__('No vote is held under this number. "judges holds" names those that are.')


class Command(BaseCommand):
    help = (
        "Decide whose labels rate. A suspended judge's labels leave the ranking at the next fit and come back with the "
        "judge. Exit status 2 when a request is refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="list|suspend|reinstate|holds|decide")
        listed = actions.add_parser("list", help="Show judges who voted or whose trust changed, most votes first.")
        listed.add_argument("--state", choices=State.values, help="Only those in this state.")
        listed.add_argument("--most", type=int, default=LISTED, help=f"How many; {LISTED} by default.")
        for name, words in (
            ("suspend", "Take a judge's labels out of every fit, and close the pool to them."),
            ("reinstate", "Let a judge's labels rate again; the rule starts anew."),
        ):
            action = actions.add_parser(name, help=words)
            action.add_argument("judge", help="Which.")
            action.add_argument("--reason", default="", help="Why, in words; the judge reads it.")
        actions.add_parser("holds", help="Show votes that were put aside and wait, the most urgent first.")
        decide = actions.add_parser("decide", help="Decide about a vote that was put aside.")
        decide.add_argument("hold", help='Which; "judges holds" names them.')
        decide.add_argument("decision", help=" or ".join(HeldLabel.Decision.values))
        decide.add_argument("--reason", default="", help="Why, in words; it is kept.")
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", help="Print the answer as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        with running_services(owner="manage.py judges"):
            try:
                getattr(self, f"_{options['action']}")(options)
            except ArenaError as refusal:
                self.stderr.write(f"{refusal.message} [{refusal.code}]")
                sys.exit(2)

    def _list(self, options: dict[str, Any]) -> None:
        rows = _judge_rows(options["state"], max(0, options["most"]))
        if options["json"]:
            self._print(rows)
            return
        for row in rows:
            reason = f"  {row['reason']}" if row["reason"] else ""
            self.stdout.write(f"{row['id']}  {row['state']:<9}  {row['votes']:>5} votes{reason}")
        if not rows:
            self.stdout.write("No such judge.")

    def _suspend(self, options: dict[str, Any]) -> None:
        change = suspend_judge(judge=_judge(options["judge"]), actor=ACTOR, reason=options["reason"])
        self._tell_change(options, change, "is suspended: their labels leave the ranking at the next fit.")

    def _reinstate(self, options: dict[str, Any]) -> None:
        change = reinstate_judge(judge=_judge(options["judge"]), actor=ACTOR, reason=options["reason"])
        self._tell_change(options, change, "is reinstated: their labels rate again from the next fit on.")

    def _tell_change(self, options: dict[str, Any], change: TrustChange, words: str) -> None:
        if options["json"]:
            self._print({"id": change.judge_id, "state": change.state, "reason": change.reason})
        else:
            self.stdout.write(f"Judge {change.judge_id} {words}")

    def _holds(self, options: dict[str, Any]) -> None:
        overdue = set(overdue_holds().values_list("pk", flat=True))
        rows = [_hold_row(held, overdue=held.pk in overdue) for held in open_holds()]
        if options["json"]:
            self._print(rows)
            return
        for row in rows:
            mark = "OVERDUE since" if row["overdue"] else "due"
            self.stdout.write(
                f"{row['id']}  {mark} {row['due_at'][:16]} UTC  judge {row['judge']}  battle {row['battle']}"
            )
            self.stdout.write(f"  {row['reason']}")
        if not rows:
            self.stdout.write("No vote is held.")

    def _decide(self, options: dict[str, Any]) -> None:
        held = decide_hold(
            held=_hold(options["hold"]), decision=options["decision"], actor=ACTOR, reason=options["reason"]
        )
        if options["json"]:
            self._print(_hold_row(held, overdue=False))
        else:
            self.stdout.write(f"The vote is {held.decision}; the next fit follows.")

    def _print(self, answer: object) -> None:
        self.stdout.write(json.dumps(answer, ensure_ascii=False))


def _judge(identifier: str) -> Judge:
    judge = Judge.objects.filter(pk=identifier).first()
    if judge is None:
        raise NoSuchJudge
    return judge


def _hold(number: str) -> HeldLabel:
    known = number.isascii() and number.isdecimal() and len(number) <= HOLD_DIGITS
    held = HeldLabel.objects.filter(pk=int(number)).first() if known else None
    if held is None:
        raise NoSuchHold
    return held


def _judge_rows(state: str | None, most: int) -> list[dict[str, Any]]:
    latest = TrustChange.objects.filter(judge=OuterRef("pk")).order_by("-id")
    judges = Judge.objects.annotate(
        cast=Count("votes", filter=Q(votes__withdrawn_at__isnull=True)),
        state=Coalesce(Subquery(latest.values("state")[:1]), Value(State.NEW.value)),
        why=Coalesce(Subquery(latest.values("reason")[:1]), Value("")),
    ).exclude(cast=0, why="")
    if state is not None:
        judges = judges.filter(state=state)
    found = judges.order_by("-cast", "pk").values_list("pk", "state", "cast", "why")[:most]
    return [{"id": judge, "state": now, "votes": cast, "reason": why} for judge, now, cast, why in found]


def _hold_row(held: HeldLabel, *, overdue: bool) -> dict[str, Any]:
    return {
        "id": held.pk,
        "vote": str(held.vote_id),
        "battle": str(held.vote.battle_id),
        "judge": held.vote.judge_id,
        "reason": held.reason,
        "held_by": held.held_by,
        "held_at": held.held_at.isoformat(),
        "due_at": held.due_at.isoformat(),
        "overdue": overdue,
        "decision": held.decision,
        "decided_reason": held.decided_reason,
    }
