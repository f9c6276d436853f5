"""What a provider's adapter must do: send one conversation, and say what came back or what went wrong."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any, Protocol

from battles.agents.hosted.conversation import Conversation, ToolCall
from battles.lanes.events import Usage

#: Said in place of a reply that cannot be sent back, where turns have to alternate and none may be empty.
NOTHING_USABLE = "(no usable reply)"


class Trouble(enum.Enum):
    """Whose trouble a failed call is, and what to do about it."""

    #: A limit, an outage, a broken connection, a body without a reply: try again within the lane's clock.
    PASSING = "passing"
    #: The provider does not serve us: a wrong key, no such model, no credit, a request it does not take.
    REFUSED = "refused"
    #: The conversation does not fit into the model's window.
    TOO_LONG = "too_long"
    #: The provider will not let the model see this or answer it.
    DECLINED = "declined"
    #: The provider could not read the call that the model wrote.
    UNREADABLE = "unreadable"


class WireTrouble(Exception):
    """A call that brought no reply.

    The words are ours: providers repeat parts of keys and requests in theirs. ``wait`` is what the provider asked
    for, in seconds; ``usage`` what the call cost all the same.
    """

    def __init__(self, trouble: Trouble, words: str, *, wait: float | None = None, usage: Usage | None = None) -> None:
        super().__init__(words)
        self.trouble = trouble
        self.wait = wait
        self.usage = usage


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of a model.

    ``native`` goes back unchanged with the next request; ``None`` when the provider would not take it back.
    ``complaint`` says in our words why there is no call to execute, and is "" when the model simply called none.
    """

    native: Any
    calls: tuple[ToolCall, ...]
    words: str
    usage: Usage | None
    complaint: str = ""


class CallIds:
    """Identifiers of the calls of one lane: those the provider gave, made anew where missing or given twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._made = 0

    def take(self, given: Any) -> str:
        """An identifier that no earlier call of the lane has: ``given`` where it can be one."""
        identifier = given if isinstance(given, str) and given.isascii() and 0 < len(given) <= 200 else ""
        while not identifier or identifier in self._taken:
            self._made += 1
            identifier = f"call_{self._made}"
        self._taken.add(identifier)
        return identifier


def reply_of(
    native: Any, calls: list[ToolCall], words: list[str], usage: Usage | None, *, well_formed: bool = True
) -> Reply:
    """A whole reply. One piece that the API would not take back, and none of the reply is sent back.

    A part of it alone would be refused (reasoning without its call), and so would be a call without its result;
    the outcome of every call is then told in words.
    """
    if not well_formed or not all(call.answerable for call in calls):
        native = None
        calls = [replace(call, answerable=False) for call in calls]
    return Reply(native or None, tuple(calls), "\n".join(word for word in words if word.strip()), usage)


class Wire(Protocol):
    """One provider's API for one lane."""

    def send(self, conversation: Conversation, *, silence: float) -> Reply:
        """Send the conversation and wait for the whole reply.

        Args:
            silence: seconds without a byte after which the connection counts as dead.

        Raises:
            WireTrouble: no reply came.
        """
        ...

    def close(self) -> None:
        """Close the connections; a call under way in another thread ends with an error."""
        ...
