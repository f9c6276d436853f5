"""Preregistrations from the terminal: promise a comparison before its first battle, and see what came out."""

from typing import Any

from django.utils.dateparse import parse_datetime

from arena_site.management.operating import ACTOR, OperatorCommand
from battles.models import Preregistration
from battles.preregistrations import PreregistrationRefused, preregister, promised_metrics


class Command(OperatorCommand):
    help = (
        "Promise what will be compared before the first battle of it is drawn; the promise stands in the ledger, and "
        "its result is shown beside it once the size is reached. Exit status 2 when a request is refused."
    )

    def add_actions(self, actions: Any) -> None:
        actions.add_parser("list", help="Show what was promised, and what came out.")
        enter = actions.add_parser("enter", help="Promise a comparison. It cannot be changed.")
        enter.add_argument("agents", nargs="+", help="Keys of agents; the first is compared with the others.")
        enter.add_argument("--metric", required=True, help=f"One of: {', '.join(promised_metrics())}.")
        enter.add_argument("--size", required=True, type=int, help="Rated battles after which the result is read.")
        enter.add_argument("--analysis", required=True, help="What is expected, and what would count as which answer.")
        enter.add_argument("--category", default="", help="Of tasks; all of them by default.")
        enter.add_argument(
            "--starts", default="", help="Battles drawn from then on, as 2026-12-01T00:00Z; now by default."
        )

    def _list(self, options: dict[str, Any]) -> None:
        rows = [_row(promise) for promise in Preregistration.objects.select_related("result")]
        lines = [
            f"{row['id']}  {', '.join(row['agents'])}: {row['metric']} over {row['size']} battles; "
            f"{row['outcome'] or 'open'}"
            for row in rows
        ]
        self.tell(options, rows, lines or ["Nothing is promised."])

    def _enter(self, options: dict[str, Any]) -> None:
        starts_at = None
        if options["starts"]:
            try:
                starts_at = parse_datetime(options["starts"])
            except ValueError:
                starts_at = None
            if starts_at is None or starts_at.tzinfo is None:
                raise PreregistrationRefused(
                    "Please give the start with its offset, as 2026-12-01T00:00Z.", field="starts"
                )
        promise = preregister(
            agents=options["agents"],
            metric=options["metric"],
            size=options["size"],
            analysis=options["analysis"],
            category=options["category"],
            starts_at=starts_at,
            actor=ACTOR,
        )
        self.tell(options, _row(promise), [f"Preregistration {promise.pk} stands in the ledger."])


def _row(promise: Preregistration) -> dict[str, Any]:
    result = getattr(promise, "result", None)
    return {
        "id": str(promise.pk),
        "agents": promise.agents,
        "category": promise.category,
        "metric": promise.metric,
        "size": promise.size,
        "analysis": promise.analysis,
        "starts_at": promise.starts_at.isoformat(),
        "entered_at": promise.entered_at.isoformat(),
        "outcome": result.words if result else None,
    }
