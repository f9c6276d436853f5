"""From a call of a provider's library to the body of a reply, or the trouble that stands in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from battles.agents.hosted.bodies import Unreadable, read_json
from battles.agents.hosted.connection import Connection, NoAnswer
from battles.agents.hosted.troubles import trouble_of, unreadable_body
from battles.agents.hosted.wire import Trouble, WireTrouble


def read_body(
    provider: str,
    connection: Connection,
    call: Callable[[], Any],
    *,
    silence: float,
    key: str,
    holds: Mapping[str, type],
) -> Mapping[str, Any]:
    """The body of one reply.

    Args:
        provider: its name, for operators.
        connection: what the library's client was made with.
        call: one call of the library.
        silence: seconds without a byte after which the connection counts as dead.
        key: replaced wherever the body holds it.
        holds: what in the body is the reply, by name and type, one of them at least. A body without any is the
            provider's trouble; an empty one is a reply in which the model said nothing.

    Raises:
        WireTrouble: there is no such body.
    """
    try:
        answer = connection.answer(call, silence=silence)
    except NoAnswer as failure:
        if failure.asked:
            raise WireTrouble(Trouble.PASSING, f"{provider} could not be reached ({failure.what}).") from None
        raise WireTrouble(Trouble.REFUSED, f"{provider}'s library makes no such request ({failure.what}).") from None
    if answer.status != 200:
        raise trouble_of(provider, answer, key=key)
    try:
        body = read_json(answer.content, key=key)
    except Unreadable:
        raise unreadable_body(provider) from None
    if isinstance(body, dict) and any(isinstance(body.get(name), kind) for name, kind in holds.items()):
        return body
    if isinstance(body, dict) and body.get("error"):
        raise trouble_of(provider, answer, key=key)
    raise unreadable_body(provider)
