"""Operators from the terminal: who they are, and their roles. The first one is made here."""

from typing import Any

from arena_site.accounts.models import Account
from arena_site.accounts.operators import (
    ROLE_NAMES,
    appoint,
    dismiss,
    operators,
    role_of,
    take_off_second_factor,
)
from arena_site.accounts.second_factor import has_second_factor
from arena_site.management.operating import ACTOR, OperatorCommand


class Command(OperatorCommand):
    help = (
        "Say which accounts may open the operators' pages, and with which role. An account is made on the site first. "
        "Exit status 2 when a request is refused."
    )

    def add_actions(self, actions: Any) -> None:
        actions.add_parser("list", help="Show the operators with their roles.")
        for name, words in (
            ("add", "Make an account an operator."),
            ("role", "Give an operator another role."),
        ):
            action = actions.add_parser(name, help=words)
            action.add_argument("name", help="The name they sign in with.")
            action.add_argument("--role", required=True, choices=ROLE_NAMES, help="What they may do.")
            action.add_argument("--reason", default="", help="Why, in words; it is kept in the journal.")
        for name, words in (
            ("remove", "Make an operator an account like any other, and sign them out."),
            ("reset-second-factor", "Take a lost second factor off; they set up a new one when they sign in."),
        ):
            action = actions.add_parser(name, help=words)
            action.add_argument("name", help="The name they sign in with.")
            action.add_argument("--reason", default="", help="Why, in words; it is kept in the journal.")

    def _list(self, options: dict[str, Any]) -> None:
        rows = [_row(account) for account in operators()]
        lines = [
            f"{row['name']:<24}  {row['role'] or 'no role':<14}  "
            f"{'second factor set up' if row['second_factor'] else 'NO SECOND FACTOR YET'}"
            for row in rows
        ]
        self.tell(options, rows, lines or ["Nobody is an operator. Make one: manage.py operators add NAME --role ..."])

    def _add(self, options: dict[str, Any]) -> None:
        self._appoint(options)

    def _role(self, options: dict[str, Any]) -> None:
        self._appoint(options)

    def _appoint(self, options: dict[str, Any]) -> None:
        account = appoint(name=options["name"], role=options["role"], actor=ACTOR, reason=options["reason"])
        row = _row(account)
        after = "" if row["second_factor"] else " They set up a second factor when they sign in."
        self.tell(options, row, [f"{account.username} is {options['role']} now.{after}"])

    def _remove(self, options: dict[str, Any]) -> None:
        account = dismiss(name=options["name"], actor=ACTOR, reason=options["reason"])
        self.tell(options, _row(account), [f"{account.username} is no operator any more, and is signed out."])

    def _reset_second_factor(self, options: dict[str, Any]) -> None:
        account = take_off_second_factor(name=options["name"], actor=ACTOR, reason=options["reason"])
        self.tell(options, _row(account), [f"{account.username} has no second factor, and is signed out."])


def _row(account: Account) -> dict[str, Any]:
    return {
        "name": account.username,
        "role": role_of(account),
        "staff": account.is_staff,
        "second_factor": has_second_factor(account),
    }
