"""Withdrawals from the terminal: enter a letter, list what runs, act on a request or call it off."""

from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from arena_site.management.operating import ACTOR, OperatorCommand, due_words, judge_named, row_named
from governance.errors import NotFound
from governance.models import Withdrawal
from governance.recovery_codes import judge_of_code
from governance.withdrawal_clocks import ACTS_BEFORE, CORPUS, LICENSEES, instant_words
from governance.withdrawal_sweep import Running, running_clocks
from governance.withdrawals import WithdrawalRefused, act_on, call_off, read_wanted, request_withdrawal


class NoSuchWithdrawal(NotFound):
    code = "no_such_withdrawal"

    def __init__(self) -> None:
        super().__init__('There is no such withdrawal. "withdrawals list" names those that wait.')


class Command(OperatorCommand):
    help = (
        f"Withdrawals: out of the corpus within {CORPUS.within.days} days, licensees told within "
        f"{LICENSEES.within.days}. What nobody acts on is acted on by itself {ACTS_BEFORE.days} day before it is due. "
        "Exit status 2 when a request is refused."
    )

    def add_actions(self, actions: Any) -> None:
        actions.add_parser("list", help="Show the clocks that run, the most urgent first.")
        enter = actions.add_parser("enter", help="Enter what a letter asks for; nothing is taken out yet.")
        enter.add_argument("who", help="The recovery code that the letter gives, or the identifier of a judge.")
        enter.add_argument(
            "--what",
            default="everything",
            help="everything, identity, kind:vote (or another kind), task:ID or battle:ID; everything by default.",
        )
        enter.add_argument("--received", default="", help="When the letter came, as 2026-03-28T22:30Z; now by default.")
        enter.add_argument("--time-zone", default="UTC", help="Of whoever wrote, for the answer: Europe/Berlin.")
        act = actions.add_parser("act", help="Take the labels out now. It cannot be undone.")
        off = actions.add_parser("call-off", help="Close a letter that was entered by mistake.")
        for action in (act, off):
            action.add_argument("withdrawal", help='Which; "withdrawals list" names them.')
            action.add_argument("--reason", default="", help="Why, in words; it is kept.")

    def _list(self, options: dict[str, Any]) -> None:
        running = running_clocks()
        lines = [
            f"{one.withdrawal.pk}  {one.clock.name:<9}  {due_words(overdue=one.overdue, due_at=one.due_at.isoformat())}"
            f"  {one.withdrawal.scope}, {one.withdrawal.get_channel_display()}"
            for one in running
        ]
        self.tell(options, [_row(one) for one in running], lines or ["No withdrawal waits."])

    def _enter(self, options: dict[str, Any]) -> None:
        judge = judge_of_code(options["who"]) or judge_named(options["who"])
        zone, received_at = options["time_zone"], _instant(options["received"])
        instant_words(received_at, zone)
        withdrawal = request_withdrawal(
            judge=judge,
            actor=ACTOR,
            wanted=read_wanted(options["what"]),
            channel=Withdrawal.Channel.MAIL,
            received_at=received_at,
        )
        dues = {clock.name: clock.due_at(withdrawal.received_at) for clock in (CORPUS, LICENSEES)}
        answer = {"id": str(withdrawal.pk)} | {name: at.isoformat() for name, at in dues.items()}
        lines = [
            f"Withdrawal {withdrawal.pk} was entered. For the answer:",
            f"  received {instant_words(withdrawal.received_at, zone)}",
            f"  out of the corpus by {instant_words(dues[CORPUS.name], zone)}",
            f"  licensees told by {instant_words(dues[LICENSEES.name], zone)}",
            f"  its page: /withdraw/{withdrawal.pk}",
        ]
        self.tell(options, answer, lines)

    def _act(self, options: dict[str, Any]) -> None:
        found = row_named(Withdrawal.objects.all(), options["withdrawal"], NoSuchWithdrawal())
        done = act_on(withdrawal=found, actor=ACTOR, reason=options["reason"])
        taken = ", ".join(f"{count} {kind}" for kind, count in sorted(done.removed.items()) if count)
        answer = {"id": str(done.pk), "removed": done.removed}
        self.tell(options, answer, [f"Withdrawal {done.pk} is done. Taken out: {taken or 'no label'}."])

    def _call_off(self, options: dict[str, Any]) -> None:
        found = row_named(Withdrawal.objects.all(), options["withdrawal"], NoSuchWithdrawal())
        done = call_off(withdrawal=found, actor=ACTOR, reason=options["reason"])
        self.tell(options, {"id": str(done.pk)}, [f"Withdrawal {done.pk} was called off."])


def _instant(text: str) -> datetime:
    if not text:
        return timezone.now()
    try:
        at = parse_datetime(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise WithdrawalRefused(
            "Please give the instant with its offset, as 2026-03-28T23:30+01:00.",
            code="not_an_instant",
            field="received",
        )
    return at.astimezone(UTC)


def _row(running: Running) -> dict[str, Any]:
    withdrawal = running.withdrawal
    return {
        "id": str(withdrawal.pk),
        "clock": running.clock.name,
        "due_at": running.due_at.isoformat(),
        "overdue": running.overdue,
        "scope": withdrawal.scope,
        "kind": withdrawal.kind,
        "channel": withdrawal.channel,
        "received_at": withdrawal.received_at.isoformat(),
    }
