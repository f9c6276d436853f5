"""Tables of battles: roster, tasks, battles with their attempts and lanes, recordings."""

from battles.models.agents import Agent
from battles.models.aliases import AgentAlias
from battles.models.battles import Attempt, Battle, Lane
from battles.models.lane_facts import LaneFacts
from battles.models.lexicon import LexiconName
from battles.models.merges import AgentMerge
from battles.models.preregistrations import Preregistration, PreregistrationResult
from battles.models.prices import Price
from battles.models.recordings import Frame, Step
from battles.models.tasks import Task

__all__ = [
    "Agent",
    "AgentAlias",
    "AgentMerge",
    "Attempt",
    "Battle",
    "Frame",
    "Lane",
    "LaneFacts",
    "LexiconName",
    "Preregistration",
    "PreregistrationResult",
    "Price",
    "Step",
    "Task",
]
