"""The draw as the database sees it: reads the roster and the counts, writes nothing."""

import random

from django.db.models import Count, F, Q
from django.db.models.functions import Greatest, Least
from django.utils import timezone

from battles.matchmaking import Match, Standing, TooFewAgents, draw_judges_needed, select_match
from battles.models import Agent, Battle
from governance.errors import ArenaError

#: The operating system's CSPRNG: a draw nobody can predict or repeat.
SYSTEM_CHANCE = random.SystemRandom()


class RosterTooSmall(ArenaError):
    """Nobody to race against."""

    code = "roster_too_small"
    status = 503

    def __init__(self) -> None:
        super().__init__("Fewer than two agents are active, so nothing can be drawn. An operator can add one.")


def drawable_agents() -> list[str]:
    """Keys of the agents that may be drawn.

    A retired agent is not among them, nor one in which the operator has a stake by now. Baseline agents leave the draw
    once two model agents are rostered.
    """
    now = timezone.now()
    there = Agent.objects.exclude(retired_at__lte=now)
    active = there.exclude(affiliated_from__lte=now)
    models = list(active.filter(kind=Agent.Kind.MODEL).values_list("key", flat=True))
    return models if len(models) >= 2 else list(active.values_list("key", flat=True))


def baseline_agents() -> list[str]:
    """Keys of the agents that race practice battles."""
    return list(Agent.racing().filter(kind=Agent.Kind.BASELINE).values_list("key", flat=True))


def read_standing(agents: list[str], kinds: tuple[str, ...]) -> Standing:
    """Counts of drawn battles of these kinds that are not void, those in flight included, and published ratings."""
    counted = Battle.objects.filter(kind__in=kinds, agent_a__in=agents, agent_b__in=agents).exclude(
        state=Battle.State.VOID
    )
    battles = dict.fromkeys(agents, 0)
    meetings: dict[tuple[str, str], int] = {}
    rows = (
        counted.annotate(low=Least(F("agent_a"), F("agent_b")), high=Greatest(F("agent_a"), F("agent_b")))
        .values_list("low", "high")
        .annotate(met=Count("pk"))
    )
    for low, high, met in rows:
        meetings[low, high] = met
    for slot in ("agent_a", "agent_b"):
        everywhere = Battle.objects.filter(Q(**{f"{slot}__in": agents}), kind__in=kinds)
        for agent, drawn in everywhere.exclude(state=Battle.State.VOID).values_list(slot).annotate(drawn=Count("pk")):
            battles[agent] += drawn
    published = Agent.objects.filter(key__in=agents).values_list("key", "published_rating")
    ratings = {key: rating for key, rating in published if rating is not None}
    return Standing(agents=agents, battles=battles, meetings=meetings, ratings=ratings)


def pick_battle_pair() -> Match:
    """Draw the pair and slots of a live battle. Takes nothing, so nobody can lean on it.

    Raises:
        RosterTooSmall: fewer than two agents can be drawn.
    """
    return _draw(drawable_agents(), (Battle.Kind.LIVE,))


def pick_practice_pair() -> Match:
    """Draw the pair and slots of a practice battle among the baseline agents, by the same rules.

    Raises:
        RosterTooSmall: fewer than two baseline agents.
    """
    return _draw(baseline_agents(), (Battle.Kind.PRACTICE,))


def pick_judges_needed() -> int:
    """How many judges a new battle needs, drawn before anybody saw it."""
    return draw_judges_needed(SYSTEM_CHANCE)


def _draw(agents: list[str], kinds: tuple[str, ...]) -> Match:
    try:
        return select_match(read_standing(agents, kinds), SYSTEM_CHANCE)
    except TooFewAgents:
        raise RosterTooSmall from None
