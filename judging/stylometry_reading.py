"""What judges saw of lanes, read for :mod:`judging.stylometry`, and the dated readings that the site publishes.

Only columns that a judge is shown are read, as they are stored after scrubbing: a name that was scrubbed is no help.
"""

import uuid
from collections import defaultdict
from datetime import timedelta
from itertools import pairwise

from django.db import connection, transaction
from django.utils import timezone

from battles.models import Attempt, Battle, Lane, Step
from judging.models import StylometryReading
from judging.stylometry import (
    AGENTS_NEEDED,
    BATTLES_NEEDED,
    BATTLES_PER_AGENT,
    NO_AGENTS,
    Attribution,
    LaneStyle,
    attribute,
)

#: The newest battles, so that a reading stays under a minute and speaks of the agents of now.
NEWEST = 500
#: Any number: the same battles give the same figure.
SEED = 7
#: Readings are a night's: one that is asked for sooner is the same message, sent twice.
READ_AGAIN_AFTER = timedelta(hours=6)
#: What a figure means.
WORDS = {
    "hidden": "A judge who knew every agent’s habits could not be shown to do better than guessing.",
    "some": "Style gives something away: who raced can be told more often than by guessing, and often wrongly.",
    "most": "Style gives agents away: who knew their habits could tell most of the time who raced.",
}
#: From this share of the way between chance and certainty on, style tells most of the time.
MOST_OF_THE_WAY = 0.5


def read_styles() -> list[LaneStyle]:
    """The lanes of the newest battles that can be judged or have been."""
    judged = [Battle.State.VOTABLE, Battle.State.RESOLVED, Battle.State.CLOSED]
    battles = Battle.objects.filter(state__in=judged, task__withdrawn_at__isnull=True).order_by("-votable_at", "-pk")
    newest = list(battles.values_list("pk", flat=True)[:NEWEST])
    lanes = Lane.objects.filter(attempt__battle__in=newest, attempt__outcome=Attempt.Outcome.FINISHED)
    found = list(lanes.values_list("pk", "attempt__battle_id", "agent_id", "answer"))
    steps = _steps([lane for lane, *_ in found])
    return [_style(battle, agent, answer, steps[lane]) for lane, battle, agent, answer in found]


def _steps(lanes: list[uuid.UUID]) -> dict[uuid.UUID, list[tuple[str, str, float]]]:
    """Verb, reasoning and clock of each step of each lane, in order, the start page first."""
    by_lane: dict[uuid.UUID, list[tuple[str, str, float]]] = defaultdict(list)
    rows = Step.objects.filter(lane__in=lanes).order_by("lane", "number")
    for lane, verb, reasoning, clock in rows.values_list("lane_id", "verb", "reasoning", "clock").iterator():
        by_lane[lane].append((verb, reasoning, clock))
    return by_lane


def _style(battle: uuid.UUID, agent: str, answer: str, steps: list[tuple[str, str, float]]) -> LaneStyle:
    clocks = [clock for _, _, clock in steps]
    return LaneStyle(
        battle=battle,
        agent=agent,
        text="\n".join([*(reasoning for _, reasoning, _ in steps if reasoning), answer]),
        verbs=[verb for verb, _, _ in steps if verb],
        seconds=[max(0.0, after - before) for before, after in pairwise(clocks)],
    )


def read_stylometry() -> Attribution:
    """How well the newest battles' lanes can be attributed now."""
    return attribute(read_styles(), seed=SEED)


@transaction.atomic
def keep_reading() -> StylometryReading:
    """Take a reading and append it to those published, or give the one that this night has already."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('readings of stylometry'))")
    latest = latest_reading()
    if latest is not None and timezone.now() - latest.at < READ_AGAIN_AFTER:
        return latest
    found = read_stylometry()
    return StylometryReading.objects.create(
        accuracy=found.accuracy,
        chance=found.chance,
        lower=found.lower,
        upper=found.upper,
        battles=found.battles,
        agents=found.agents,
        effective=found.effective,
        by_feature=dict(found.by_feature),
        reason=found.reason,
    )


def latest_reading() -> StylometryReading | None:
    """The newest reading; None before the first night."""
    return StylometryReading.objects.order_by("-id").first()


def reason_words(reason: str, *, battles: int, agents: int) -> str:
    """Why there is no figure, in words and with what is missing."""
    if reason == NO_AGENTS:
        return f"{agents} of the {AGENTS_NEEDED} agents needed have been in {BATTLES_PER_AGENT} battles or more"
    return f"{battles} of the {BATTLES_NEEDED} battles needed have been raced"


def what_it_means(accuracy: float, chance: float, lower: float) -> str:
    """The plain sentence for a figure."""
    if lower <= chance:
        return WORDS["hidden"]
    return WORDS["most" if accuracy - chance >= MOST_OF_THE_WAY * (1 - chance) else "some"]
