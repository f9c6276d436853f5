"""Judges from the terminal: list, suspend and reinstate them."""

from dataclasses import asdict
from typing import Any

from django.db.models import Count, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from arena_site.management.operating import ACTOR, OperatorCommand, judge_named
from governance.models import Judge
from judging.gold_reading import read_gold
from judging.models import TrustChange
from judging.trust import State, reinstate_judge, suspend_judge
from judging.trust_rule import wrong_mark_words

#: A terminal shows so many; whoever wants all of them says so.
LISTED = 50
#: More than any terminal scrolls back; a query takes no number of any size.
MOST_LISTED = 1_000_000


class Command(OperatorCommand):
    help = (
        "Decide whose labels rate. A suspended judge's labels leave the ranking at the next fit and come back with the "
        'judge. Single votes: "manage.py labels". Exit status 2 when a request is refused.'
    )

    def add_actions(self, actions: Any) -> None:
        listed = actions.add_parser("list", help="Show judges who voted or whose trust changed, most votes first.")
        listed.add_argument("--state", choices=State.values, help="Only those in this state.")
        listed.add_argument("--most", type=int, default=LISTED, help=f"How many; {LISTED} by default.")
        actions.add_parser("gold", help="Show how far judges could guess, and do care, that an outcome is known.")
        for name, words in (
            ("suspend", "Take a judge's labels out of every fit, and close the pool to them."),
            ("reinstate", "Let a judge's labels rate again; the rule starts anew."),
        ):
            action = actions.add_parser(name, help=words)
            action.add_argument("judge", help="Which.")
            action.add_argument("--reason", default="", help="Why, in words; the judge reads it.")

    def _list(self, options: dict[str, Any]) -> None:
        rows = _judge_rows(options["state"], min(max(0, options["most"]), MOST_LISTED))
        lines = [
            f"{row['id']}  {row['state']:<9}  {row['votes']:>5} votes{row['reason'] and '  '}{row['reason']}"
            for row in rows
        ]
        self.tell(options, rows, [*lines, f"The rule: {wrong_mark_words()}"] if rows else ["No such judge."])

    def _gold(self, options: dict[str, Any]) -> None:
        found = read_gold()
        lines = [
            f"{found.handed_out} battles handed out, {found.gold} of them with a known outcome",
            f"{found.on_practice_sites} ran on a practice site; guessing that their outcome is known is right for "
            f"{_share(found.guess_right)}",
            f"right calls: {_share(found.right_on_gold)} of known outcomes, {_share(found.right_elsewhere)} of others' "
            "majorities",
            f"focused time of half the votes: up to {_seconds(found.seconds_on_gold)} on known outcomes, "
            f"{_seconds(found.seconds_elsewhere)} elsewhere",
        ]
        self.tell(options, asdict(found), lines)

    def _suspend(self, options: dict[str, Any]) -> None:
        change = suspend_judge(judge=judge_named(options["judge"]), actor=ACTOR, reason=options["reason"])
        self._told(options, change, "is suspended: their labels leave the ranking at the next fit.")

    def _reinstate(self, options: dict[str, Any]) -> None:
        change = reinstate_judge(judge=judge_named(options["judge"]), actor=ACTOR, reason=options["reason"])
        self._told(options, change, "is reinstated: their labels rate again from the next fit on.")

    def _told(self, options: dict[str, Any], change: TrustChange, words: str) -> None:
        answer = {"id": change.judge_id, "state": change.state, "reason": change.reason}
        self.tell(options, answer, [f"Judge {change.judge_id} {words}"])


def _share(share: float | None) -> str:
    return "none yet" if share is None else f"{share:.0%}"


def _seconds(seconds: float | None) -> str:
    return "no time known" if seconds is None else f"{seconds:.0f} s"


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
