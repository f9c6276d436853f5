"""How many documents a page has brought of late by itself: the sign of one that replaces itself without end.

A document that a step asked for is the agent's own doing, however quick the agent is, and does not count. What the
page does afterwards does: a redirect by script, a refresh, a timer.
"""

from __future__ import annotations

import time
from collections import deque

#: So many documents within so many seconds are a loop; signing in somewhere may take half as many.
MOST_DOCUMENTS = 12
LATELY = 5.0


class DocumentCount:
    """The documents of one tab: those it got, and those its page asked for, which may never come."""

    def __init__(self) -> None:
        self._got: deque[float] = deque(maxlen=MOST_DOCUMENTS)
        self._asked: deque[float] = deque(maxlen=MOST_DOCUMENTS)
        self._granted = 0
        self._granted_asking = 0

    @property
    def looping(self) -> bool:
        """Whether there were more of late than anybody can have meant."""
        since = time.monotonic() - LATELY
        return any(len(times) == MOST_DOCUMENTS and times[0] > since for times in (self._got, self._asked))

    @property
    def counted(self) -> int:
        """Documents that came unasked, up to MOST_DOCUMENTS."""
        return len(self._got)

    def grant(self) -> None:
        """An input of the agent may bring one document."""
        self._granted = self._granted_asking = 1

    def begin(self) -> None:
        """The agent goes elsewhere: the document that comes is its own, and the page before is no matter any more."""
        self.forget()
        self._granted, self._granted_asking = 1, 0

    def forget(self) -> None:
        """Count anew."""
        self._got.clear()
        self._asked.clear()
        self._granted = self._granted_asking = 0

    def asked(self) -> None:
        """The page asked for another document."""
        if self._granted_asking:
            self._granted_asking = 0
        else:
            self._asked.append(time.monotonic())

    def got(self) -> None:
        """Another document is there."""
        if self._granted:
            self._granted = 0
        else:
            self._got.append(time.monotonic())
