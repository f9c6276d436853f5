"""The closed list of ways a lane can end, and whose doing each one is."""

from enum import StrEnum


class Ending(StrEnum):
    """How a lane ended. The list is closed: a new way to end is a new entry here first."""

    ANSWERED = "answered"
    GAVE_UP = "gave_up"
    STEP_BUDGET = "step_budget"
    TIME_BUDGET = "time_budget"
    AGENT_ERROR = "agent_error"
    PAGE_HUNG = "page_hung"
    BLOCKED_BY_SITE = "blocked_by_site"
    PROVIDER_ERROR = "provider_error"
    BROWSER_ERROR = "browser_error"
    LOST = "lost"


#: Endings that say something about the agent; the others are a provider's or ours.
AGENTS_OWN = frozenset(
    {
        Ending.ANSWERED,
        Ending.GAVE_UP,
        Ending.STEP_BUDGET,
        Ending.TIME_BUDGET,
        Ending.AGENT_ERROR,
        Ending.PAGE_HUNG,
        Ending.BLOCKED_BY_SITE,
    }
)

#: A battle with a lane that ended so rates nobody (``40-ratings``, rule ``no_trajectory``).
NEVER_RAN = frozenset({Ending.PROVIDER_ERROR, Ending.BROWSER_ERROR, Ending.LOST})
