"""Transactions that PostgreSQL ends because two of them wait for each other."""

from collections.abc import Callable
from functools import wraps
from time import sleep
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection
from psycopg.errors import DeadlockDetected

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

#: How often a transaction is tried that somebody else's locks stopped.
TRIES = 3
#: Before the next try. A row that is let go is whoever's who asks first: without a pause the one that was stopped takes
#: it again before the one that waited for it wakes up, and both are where they were.
PAUSE_SECONDS = 0.1


def done_again(transact: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Do a whole transaction once more where PostgreSQL ended it; for what leaves nothing behind when it is undone.

    Within another transaction nothing can be done again: the error passes to whoever began that one.

    Raises:
        OperationalError: with a ``DeadlockDetected`` as its cause, where it was ended :data:`TRIES` times.
    """

    @wraps(transact)
    def trying(*arguments: Asked.args, **options: Asked.kwargs) -> Answer:
        for _ in range(TRIES - 1):
            try:
                return transact(*arguments, **options)
            except OperationalError as stopped:
                if connection.in_atomic_block or not is_deadlock(stopped):
                    raise
            sleep(PAUSE_SECONDS)
        return transact(*arguments, **options)

    return trying


def is_deadlock(stopped: OperationalError) -> bool:
    return isinstance(stopped.__cause__, DeadlockDetected)
