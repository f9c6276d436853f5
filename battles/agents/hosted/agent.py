"""A hosted model as an agent: keeps the conversation, waits out a provider's trouble, and never guesses a verb."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from battles.agents.base import Decision, ProviderFailure, Turn
from battles.agents.hosted import wording
from battles.agents.hosted.conversation import SHORTER, Conversation, Exchange, Result, Shown, ToolCall, trimmed
from battles.agents.hosted.counting import added
from battles.agents.hosted.spending import SpendMeter
from battles.agents.hosted.wire import Reply, Trouble, Wire, WireTrouble
from battles.lanes.events import Action, Observation, Usage

#: A connection without a byte for so long is dead. Long thoughts fit: what is slow but comes is the model's own time.
SILENCE_SECONDS = 90.0

#: First wait after passing trouble; each further one is twice as long, up to the longest.
FIRST_WAIT = 1.0
LONGEST_WAIT = 30.0

#: Tries of one request. Their waits add to about half a minute; a provider that is still down is down.
MOST_TRIES = 6

#: A wait that outlives the lane ends it at once, but not in its last seconds: there the lane's own rule on lost time
#: decides whose ending it is. A tenth of the usual clock, as that rule has it.
LAST_SECONDS = 30.0

#: How long after the lane's end a call or a wait is still let be: its clock ends them first, which is the lane's to do.
AFTER_THE_END = 5.0

#: Said of a lane that the operator's limit has ended.
OVER_THE_LIMIT = "The operator's limit of spending for a battle is reached."

#: Longest reasoning that is kept with a step, in characters.
LONGEST_REASONING = 20_000

#: What a model is told when its turn brought nothing, by what went wrong on the way.
_COMPLAINTS = {
    Trouble.DECLINED: wording.DECLINED,
    Trouble.UNREADABLE: wording.UNREADABLE,
    Trouble.TOO_LONG: wording.TOO_LONG,
}


class HostedAgent:
    """One lane's conversation with one model.

    The wire is a provider's; everything that could favour one (what is shown, what is remembered, how long and how
    often a provider is waited for, what a useless reply costs) is here and the same for all.

    Args:
        wire: the provider's API.
        sees: whether the model takes images.
        first_wait: seconds before the second try, when the provider asks for nothing else.
        silence: seconds without a byte after which a call has failed.
        meter: keeps the operator's limit on spending; ``None`` without one.
    """

    def __init__(
        self,
        wire: Wire,
        *,
        sees: bool = True,
        first_wait: float = FIRST_WAIT,
        silence: float = SILENCE_SECONDS,
        meter: SpendMeter | None = None,
    ) -> None:
        self._wire = wire
        self._meter = meter
        self._sees = sees
        self._first_wait = first_wait
        self._silence = silence
        self._first: Shown | None = None
        self._exchanges: list[Exchange] = []
        self._pending: Reply | None = None
        self._turns_seen = 0
        self._shorter = 0
        self._closed = threading.Event()
        # Seconds lost, and since when a wait is under way: one value, so that another thread never reads half of it.
        self._lost: tuple[float, float | None] = (0.0, None)

    @property
    def provider_seconds(self) -> float:
        """Seconds lost to the provider so far: failed calls, and waits, also the one under way.

        Read from another thread too; see :class:`battles.agents.base.ProviderClock`.
        """
        lost, waiting_since = self._lost
        return lost if waiting_since is None else lost + time.monotonic() - waiting_since

    def next_action(self, instruction: str, observation: Observation, history: Sequence[Turn]) -> Decision:
        """See :class:`battles.agents.base.Agent`.

        Raises:
            ProviderFailure: the provider stayed down, refuses us, or asks to wait longer than the lane has.
        """
        now_shown = wording.shown(observation, with_image=self._sees)
        if self._first is None:
            self._first = now_shown
        self._take_in(history, now_shown)
        reply = self._reply(instruction, time.monotonic() + observation.seconds_left)
        self._pending = reply
        actions = [Action(call.name, call.arguments) for call in reply.calls]
        return Decision(
            actions=actions,
            reasoning=reply.words[:LONGEST_REASONING],
            usage=reply.usage,
            model_called=True,
            complaint="" if actions else reply.complaint or wording.NO_CALL,
        )

    def close(self) -> None:
        """See :class:`battles.agents.base.Agent`."""
        self._closed.set()
        self._wire.close()

    def _take_in(self, history: Sequence[Turn], now_shown: Shown) -> None:
        """File the last reply with what the lane did of it."""
        done = history[self._turns_seen :]
        self._turns_seen = len(history)
        if self._pending is None:
            return
        reply, self._pending = self._pending, None
        results = tuple(wording.result_of(turn.result) for turn in done)
        self._exchanges.append(Exchange(reply.native, reply.calls, _for_calls(reply.calls, results), now_shown))

    def _conversation(self, instruction: str, first: Shown) -> Conversation:
        return trimmed(
            system=wording.system(sees=self._sees),
            task=wording.task_words(instruction),
            first=first,
            exchanges=self._exchanges,
            at_most=SHORTER[self._shorter - 1] if self._shorter else None,
        )

    def _reply(self, instruction: str, deadline: float) -> Reply:
        tries = 0
        spent: Usage | None = None
        assert self._first is not None
        while True:
            try:
                reply = self._send(self._conversation(instruction, self._first), deadline)
            except WireTrouble as trouble:
                spent = added(spent, trouble.usage)
                if trouble.trouble is Trouble.TOO_LONG and self._shorter < len(SHORTER):
                    self._shorter += 1
                    continue
                if trouble.trouble in _COMPLAINTS:
                    return Reply(None, (), "", spent, complaint=_COMPLAINTS[trouble.trouble])
                if trouble.trouble is Trouble.REFUSED:
                    raise ProviderFailure(str(trouble)) from trouble
                tries += 1
                self._wait_out(trouble, tries, deadline)
            else:
                return reply if spent is None else replace(reply, usage=added(spent, reply.usage))

    def _send(self, conversation: Conversation, deadline: float) -> Reply:
        if self._meter is not None and self._meter.is_reached():
            raise ProviderFailure(OVER_THE_LIMIT)
        began = time.monotonic()
        try:
            left = max(0.0, deadline - began) + AFTER_THE_END
            reply = self._wire.send(conversation, silence=min(self._silence, left))
            self._count(reply.usage)
            return reply
        except WireTrouble as trouble:
            self._count(trouble.usage)
            if trouble.trouble is Trouble.PASSING:
                self._lost = (self._lost[0] + time.monotonic() - began, None)
            raise

    def _count(self, usage: Usage | None) -> None:
        if self._meter is not None:
            self._meter.add(usage)

    def _wait_out(self, trouble: WireTrouble, tries: int, deadline: float) -> None:
        """Wait before the next try, on the provider's account.

        Raises:
            ProviderFailure: there is no next try.
        """
        if tries >= MOST_TRIES:
            raise ProviderFailure(f"{trouble} Tried {tries} times.") from trouble
        began = time.monotonic()
        # A server that asks for no wait at all gets ours: six tries within a moment would test nothing.
        seconds = trouble.wait or self._wait_before(tries)
        left = deadline - began
        in_time = seconds < left
        if in_time or left <= LAST_SECONDS:
            self._lost = (self._lost[0], began)
            self._closed.wait(seconds if in_time else max(0.0, left) + AFTER_THE_END)
            self._lost = (self._lost[0] + time.monotonic() - began, None)
        if self._closed.is_set():
            raise ProviderFailure("The lane is over.") from trouble
        if not in_time:
            raise ProviderFailure(f"{trouble} The next try would come after the lane's end.") from trouble

    def _wait_before(self, tries: int) -> float:
        """Exponential, with jitter so that two lanes of one provider do not knock together."""
        spread = random.uniform(0.75, 1.25)  # noqa: S311 - spread, no secret
        return min(LONGEST_WAIT, self._first_wait * 2.0 ** (tries - 1)) * spread


def _for_calls(calls: tuple[ToolCall, ...], results: tuple[Result, ...]) -> tuple[Result, ...]:
    """One result for each call: those after a failed one were not executed."""
    if not calls:
        return results
    missing = len(calls) - len(results)
    return results[: len(calls)] + (wording.NOT_EXECUTED,) * missing
