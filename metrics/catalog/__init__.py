"""The catalogue: every published measure, a module a section."""

from metrics.catalog.actions import ACTIONS
from metrics.catalog.answers import ANSWERS
from metrics.catalog.arena import ARENA
from metrics.catalog.judging import JUDGING
from metrics.catalog.obstacles import OBSTACLES
from metrics.catalog.outcomes import OUTCOMES
from metrics.catalog.time_and_cost import TIME_AND_COST
from metrics.measure import Measure

CATALOG: tuple[Measure, ...] = (
    *OUTCOMES,
    *ACTIONS,
    *OBSTACLES,
    *TIME_AND_COST,
    *ANSWERS,
    *JUDGING,
    *ARENA,
)
BY_KEY = {measure.key: measure for measure in CATALOG}
