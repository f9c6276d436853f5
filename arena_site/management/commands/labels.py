"""Votes that were put aside, from the terminal: list them, put one aside, and decide about it."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from arena_site.management.operating import ACTOR, OperatorCommand, due_words, judge_named, row_named
from governance.errors import NotFound
from judging.models import HeldLabel, Vote
from judging.trust import decide_hold, hold_label, open_holds


class NoSuchVote(NotFound):
    code = "no_such_vote"

    def __init__(self) -> None:
        super().__init__('There is no such vote. "labels held" names those that wait.')


class NotHeld(NotFound):
    code = "not_held"

    def __init__(self) -> None:
        super().__init__('This vote waits for no decision. "labels held" names those that do.')


class Command(OperatorCommand):
    help = (
        "Put votes aside and decide about them: a held vote rates nobody until it is released, which is due within a "
        "week. An overdue one stays out. Exit status 2 when a request is refused."
    )

    def add_actions(self, actions: Any) -> None:
        held = actions.add_parser("held", help="Show the votes that wait, overdue ones first.")
        held.add_argument("--judge", default="", help="Only those of this judge.")
        for name, words in (
            ("hold", "Put a vote aside."),
            ("release", "Let a held vote rate again; what held it holds it no more."),
            ("keep-out", "Leave a held vote out for good."),
        ):
            action = actions.add_parser(name, help=words)
            action.add_argument("votes", nargs="+", metavar="VOTE", help="Which; of several all or none.")
            action.add_argument("--reason", default="", help="Why, in words; it is kept.")

    def _held(self, options: dict[str, Any]) -> None:
        holds = open_holds()
        if options["judge"]:
            holds = holds.filter(vote__judge=judge_named(options["judge"]))
        rows = [_row(hold) for hold in holds]
        lines = [line for row in rows for line in _lines(row)]
        self.tell(options, rows, lines or ["No vote is held."])

    def _hold(self, options: dict[str, Any]) -> None:
        votes = [row_named(Vote.objects.all(), vote, NoSuchVote()) for vote in options["votes"]]
        with transaction.atomic():
            holds = [hold_label(vote=vote, actor=ACTOR, reason=options["reason"]) for vote in votes]
        self._told(options, holds, "is held: it rates nobody from the next fit on, until you decide")

    def _release(self, options: dict[str, Any]) -> None:
        self._decide(options, HeldLabel.Decision.RELEASED, "is released and rates from the next fit on")

    def _keep_out(self, options: dict[str, Any]) -> None:
        self._decide(options, HeldLabel.Decision.EXCLUDED, "is left out for good")

    def _decide(self, options: dict[str, Any], decision: HeldLabel.Decision, words: str) -> None:
        with transaction.atomic():
            holds = [_open_hold(vote) for vote in options["votes"]]
            decided = [
                decide_hold(held=hold, decision=decision, actor=ACTOR, reason=options["reason"]) for hold in holds
            ]
        self._told(options, decided, words)

    def _told(self, options: dict[str, Any], holds: list[HeldLabel], words: str) -> None:
        self.tell(options, [_row(hold) for hold in holds], [f"Vote {hold.vote_id} {words}." for hold in holds])


def _open_hold(identifier: str) -> HeldLabel:
    vote = row_named(Vote.objects.all(), identifier, NoSuchVote())
    held = open_holds().filter(vote=vote).first()
    if held is None:
        raise NotHeld
    return held


def _row(held: HeldLabel) -> dict[str, Any]:
    return {
        "vote": str(held.vote_id),
        "battle": str(held.vote.battle_id),
        "judge": held.vote.judge_id,
        "reason": held.reason,
        "held_by": held.held_by,
        "held_at": held.held_at.isoformat(),
        "due_at": held.due_at.isoformat(),
        "overdue": not held.decision and held.due_at <= timezone.now(),
        "decision": held.decision,
        "decided_reason": held.decided_reason,
    }


def _lines(row: dict[str, Any]) -> list[str]:
    due = due_words(overdue=row["overdue"], due_at=row["due_at"])
    return [
        f"{row['vote']}  {due}  judge {row['judge']}  battle {row['battle']}",
        f"  {row['held_by']}: {row['reason']}",
    ]
