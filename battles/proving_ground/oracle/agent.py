"""The oracle as an agent: it plays the policy of its task and stops when that has nothing more to do."""

from __future__ import annotations

from collections.abc import Sequence

from battles.agents.base import Decision, Turn
from battles.lanes.events import Action, Observation
from battles.proving_ground.oracle.policies import POLICIES
from battles.proving_ground.oracle.scene import Ask, Moves, Policy, Scene


class OracleAgent:
    """One episode's oracle.

    Args:
        task: the name of the task.
        peek: its look behind the observation; see ``docs/proving-ground.md`` for the tasks that need it.
    """

    def __init__(self, task: str, peek: Ask) -> None:
        self._policy: Policy | None = POLICIES.get(task)
        self._peek = peek
        self._scene: Scene | None = None
        self._moves: Moves = iter(())

    def next_action(self, instruction: str, observation: Observation, history: Sequence[Turn]) -> Decision:
        if self._policy is None:
            return Decision([Action("give_up", {"reason": "There is no policy for this task."})])
        if self._scene is None:
            self._scene = Scene(instruction, observation, self._peek)
            self._moves = self._policy(self._scene)
        self._scene.observation = observation
        move = next(self._moves, None)
        if move is None:
            return Decision([Action("answer", {"text": "Done."})])
        return Decision([move])

    def close(self) -> None:
        """Nothing to let go of."""
