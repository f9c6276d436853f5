"""How long a lane waits for its browser, and what it means when the wait is over.

Every call that reaches a browser goes through :func:`bounded`. A page may stop answering at any
moment (an endless loop answers nothing at all, not even a screenshot), so a wait without an end
would be a lane without an end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds a lane grants. The defaults hold for every lane; tests shorten them."""

    #: One call to the browser. Heavy pages block their main thread for seconds on a shared machine.
    call: float = 10.0
    #: One answer of a page that has just let a call time out; silent again, it counts as hung.
    probe: float = 5.0
    #: From a navigation's start to its commit.
    commit: float = 20.0
    #: From a commit, or an action, to the moment we look although the page is still busy.
    settle: float = 2.0
    #: The document has to be this long without a change to count as quiet.
    quiet: float = 0.05
    #: A document that changes by itself without end (a ticker) is looked at after this long.
    restless: float = 0.6
    #: A click on a file input shows its chooser within this time.
    chooser: float = 2.0
    #: A window that a page asked for exists within this time.
    popup: float = 2.0
    #: A PDF has arrived and is read within this time.
    paper: float = 8.0


class CallTimedOut(Exception):
    """A call to the browser did not come back in time."""


class PageHung(Exception):
    """The page in front answers nothing any more."""


class TabTrouble(Exception):
    """Something became of a tab while it was being used; ``tab_id`` says of which."""

    says = "Something became of the page"

    def __init__(self, tab_id: str) -> None:
        super().__init__(f"{self.says}.")
        self.tab_id = tab_id


class TabCrashed(TabTrouble):
    """The renderer of a page is gone."""

    says = "The page crashed"


class TabClosed(TabTrouble):
    """A page closed itself, or was closed."""

    says = "The page's tab was closed"


class DocumentReplaced(TabTrouble):
    """The document went away while it was being asked; ask again."""

    says = "The page was replaced by another"


class BrowserGone(Exception):
    """The browser process itself is gone or answers nothing: ours to mend, not the agent's."""


async def bounded(call: Awaitable[T], seconds: float, what: str) -> T:
    """The call's result, or :class:`CallTimedOut` after ``seconds``.

    Raises:
        CallTimedOut: the time is over; the call is cancelled.
    """
    try:
        async with asyncio.timeout(seconds):
            return await call
    except TimeoutError as error:
        raise CallTimedOut(f"{what} took more than {seconds:g} s") from error


def first_line(error: BaseException) -> str:
    """What went wrong in one line, without the driver's call log."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
