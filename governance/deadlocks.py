"""Transactions that PostgreSQL ends because two of them wait for each other."""

from collections.abc import Callable
from functools import wraps
from time import sleep
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

#: How often a transaction is tried that somebody else's locks stopped.
TRIES = 3
#: Before the next try. A row that is let go is whoever's who asks first: without a pause the one that was stopped takes
#: it again before the one that waited for it wakes up, and both are where they were.
PAUSE_SECONDS = 0.1


def done_again(transact: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Make a use case one transaction, and do that once more where PostgreSQL ended it for another's.

    For what leaves nothing behind when it is undone. What waits for the commit is news of something that was done, and
    is not done again where it fails. Within another transaction nothing can be done again: the error passes to whoever
    began that one.

    Raises:
        OperationalError: with a ``DeadlockDetected`` as its cause, where it was ended :data:`TRIES` times.
    """

    @wraps(transact)
    def trying(*arguments: Asked.args, **options: Asked.kwargs) -> Answer:
        committed: list[bool] = []

        def whole() -> Answer:
            with transaction.atomic():
                transaction.on_commit(lambda: committed.append(True))
                return transact(*arguments, **options)

        for _ in range(TRIES - 1):
            try:
                return whole()
            except OperationalError as stopped:
                if committed or connection.in_atomic_block or not is_deadlock(stopped):
                    raise
            sleep(PAUSE_SECONDS)
        return whole()

    return trying


def is_deadlock(stopped: OperationalError) -> bool:
    return isinstance(stopped.__cause__, DeadlockDetected)
