"""Agents that do what a test says, instead of thinking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from battles.agents.base import Decision, Turn
from battles.lanes.events import Action, Observation

Move = Decision | Action | Exception | Callable[[Observation, Sequence[Turn]], Decision | Action]


class Scripted:
    """Plays its moves in order; the last one again and again. Remembers what it was shown."""

    def __init__(self, *moves: Move) -> None:
        self._moves = list(moves)
        self.seen: list[Observation] = []
        self.histories: list[Sequence[Turn]] = []
        self.closed = 0

    def next_action(self, instruction: str, observation: Observation, history: Sequence[Turn]) -> Decision:
        self.seen.append(observation)
        self.histories.append(history)
        move = self._moves.pop(0) if len(self._moves) > 1 else self._moves[0]
        if isinstance(move, Exception):
            raise move
        chosen = move if isinstance(move, Decision | Action) else move(observation, history)
        return chosen if isinstance(chosen, Decision) else Decision([chosen])

    def close(self) -> None:
        self.closed += 1


def act(verb: str, **arguments: object) -> Action:
    return Action(verb, arguments)


def on(name: str, verb: str = "click", **arguments: object) -> Callable[[Observation, Sequence[Turn]], Action]:
    """A move on the element called ``name`` in what the agent is shown then."""

    def move(observation: Observation, history: Sequence[Turn]) -> Action:
        reference = next(element.ref for element in observation.elements if element.name == name)
        return Action(verb, {"ref": reference, **arguments})

    return move
