"""What the operators' commands on judging have in common: actions, refusals in one line, and JSON."""

import json
import sys
import uuid
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any, TypeVar

from django.core.management.base import BaseCommand
from django.db.models import Model, QuerySet

from arena_site.services.embedded import running_services
from governance.errors import ArenaError, NotFound
from governance.models import Judge

ACTOR = "operator:terminal"

Row = TypeVar("Row", bound=Model)


class NoSuchJudge(NotFound):
    code = "no_such_judge"

    def __init__(self) -> None:
        super().__init__('There is no such judge. "judges list" and "reports list" name them.')


class OperatorCommand(BaseCommand, ABC):
    """A command with actions: the action ``keep-out`` is the method ``_keep_out``, which gets the options."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        self.add_actions(actions)
        actions.metavar = "|".join(actions.choices)
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", help="Print the answer as JSON.")

    @abstractmethod
    def add_actions(self, actions: Any) -> None:
        """Add a parser for each action."""

    def handle(self, *args: Any, **options: Any) -> None:
        with running_services(owner=f"manage.py {type(self).__module__.rpartition('.')[2]}"):
            try:
                _check_text(options)
                getattr(self, f"_{options['action'].replace('-', '_')}")(options)
            except ArenaError as refusal:
                self.stderr.write(f"{refusal.message} [{refusal.code}]")
                sys.exit(2)

    def tell(self, options: dict[str, Any], answer: object, lines: Iterable[str]) -> None:
        """Print the answer as JSON where that was asked for, else the lines."""
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        for line in lines:
            self.stdout.write(line)


def _check_text(options: dict[str, Any]) -> None:
    """Refuse what a terminal passed on as bytes that are no text: neither a search nor a row can hold them.

    Raises:
        ArenaError: ``not_text``.
    """
    for value in options.values():
        for text in value if isinstance(value, list) else [value]:
            try:
                str(text).encode()
            except UnicodeEncodeError:
                raise ArenaError(
                    "What you typed is not text in UTF-8; please type it again.", code="not_text"
                ) from None


def judge_named(identifier: str) -> Judge:
    """The judge of an identifier.

    Raises:
        NoSuchJudge: there is none.
    """
    judge = Judge.objects.filter(pk=identifier).first()
    if judge is None:
        raise NoSuchJudge
    return judge


def row_named(rows: QuerySet[Row], identifier: str, refusal: NotFound) -> Row:
    """The row of an identifier as a terminal gives it.

    Raises:
        NotFound: the refusal, where there is none or the identifier is none.
    """
    try:
        row = rows.filter(pk=uuid.UUID(identifier)).first()
    except ValueError:
        raise refusal from None
    if row is None:
        raise refusal
    return row


def due_words(*, overdue: bool, due_at: str) -> str:
    """A deadline at the start of a line, overdue ones standing out."""
    return f"{'OVERDUE since' if overdue else 'due'} {due_at[:16].replace('T', ' ')} UTC"
