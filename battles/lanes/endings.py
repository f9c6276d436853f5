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


#: A battle with a lane that ended so rates nobody (``40-ratings``, rule ``no_trajectory``).
NEVER_RAN = frozenset({Ending.PROVIDER_ERROR, Ending.BROWSER_ERROR, Ending.LOST})
