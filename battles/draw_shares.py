"""How often each agent was drawn of late, against how often it was to be expected: nobody is put aside silently.

What is expected is worked out anew by the rule of the draw, from who could be drawn and what had been raced by then.
Ratings are those of today, which the rule uses for lopsided pairs alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from battles.matchmaking import Standing, pair_of, pair_probabilities
from battles.models import Agent, Battle
from governance.models import JournalEntry

#: The span that is published.
LOOKED_BACK = timedelta(days=30)
#: So long a battle may still be judged blind. A public share that moved with yesterday's draws would name who raced.
HELD_BACK = timedelta(days=14)
#: Under this subject the journal keeps what was found, once a night.
WATCHED = "draw-shares"
#: Below this share of what was expected somebody must look.
ALARM_BELOW = 0.5
#: Fewer expected draws than this come out at half by chance alone too often: one time in a hundred and more.
LEAST_EXPECTED = 20.0
#: The rule is worked out so many times over the span at most; in between, probabilities hardly move.
CHECKPOINTS = 120


@dataclass(frozen=True, slots=True)
class Drawn:
    """One draw: when, which two agents, and between whom it chose."""

    at: datetime
    pair: tuple[str, str]
    pool: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawShare:
    """An agent's part in the draws of the span.

    Attributes:
        agent: its key.
        drawn: in how many draws it was.
        expected: in how many it was to be expected, by the rule.
        share, expected_share: the same over the draws in which it could have been drawn.
    """

    agent: str
    drawn: int
    expected: float
    share: float
    expected_share: float

    @property
    def ratio(self) -> float:
        """Draws per expected draw."""
        return self.drawn / self.expected if self.expected else 0.0

    @property
    def alarming(self) -> bool:
        """Whether it was drawn less than half as often as expected, and not by chance."""
        return self.expected >= LEAST_EXPECTED and self.ratio < ALARM_BELOW


def expected_draws(
    draws: Sequence[Drawn], before: Mapping[tuple[str, str], int], ratings: Mapping[str, float]
) -> dict[str, tuple[int, int, float]]:
    """For each agent: draws it was in, draws it could have been in, and draws it was to be expected in.

    Args:
        draws: in the order in which they were made.
        before: meetings of each pair before the first of them.
        ratings: published points.
    """
    meetings = Counter(before)
    battles: Counter[str] = Counter()
    for pair, met in before.items():
        for agent in pair:
            battles[agent] += met
    every = max(1, -(-len(draws) // CHECKPOINTS))
    found: dict[str, list[float]] = {}
    marginal: dict[str, float] = {}
    pool: tuple[str, ...] = ()
    for number, draw in enumerate(draws):
        if draw.pool != pool or number % every == 0:
            pool = draw.pool
            marginal = _marginals(Standing(pool, battles, meetings, ratings))
        for agent, probability in marginal.items():
            sums = found.setdefault(agent, [0, 0, 0.0])
            sums[1] += 1
            sums[2] += probability
        for agent in draw.pair:
            found.setdefault(agent, [0, 0, 0.0])[0] += 1
            battles[agent] += 1
        meetings[draw.pair] += 1
    return {agent: (int(drawn), int(could), expected) for agent, (drawn, could, expected) in found.items()}


def _marginals(standing: Standing) -> dict[str, float]:
    """Probability that a draw has an agent in it; adds up to 2."""
    if len(standing.agents) < 2:
        return {}
    marginal = dict.fromkeys(standing.agents, 0.0)
    for pair, probability in pair_probabilities(standing).items():
        for agent in pair:
            marginal[agent] += probability
    return marginal


def draw_shares(now: datetime | None = None) -> list[DrawShare]:
    """Every agent that could be drawn for people's tasks in the span before an instant, by key; now by default."""
    now = now or timezone.now()
    since = now - LOOKED_BACK
    live = Battle.objects.filter(kind=Battle.Kind.LIVE).exclude(state=Battle.State.VOID)
    rows = live.filter(created_at__gte=since, created_at__lt=now).order_by("pk")
    agents = list(Agent.objects.all())
    draws = [
        Drawn(at, pair_of(one, other), _pool(agents, at))
        for at, one, other in rows.values_list("created_at", "agent_a_id", "agent_b_id").iterator(chunk_size=2000)
    ]
    if not draws:
        return []
    before = Counter(
        pair_of(one, other)
        for one, other in live.filter(created_at__lt=since)
        .values_list("agent_a_id", "agent_b_id")
        .iterator(chunk_size=2000)
    )
    ratings = {agent.key: agent.published_rating for agent in agents if agent.published_rating is not None}
    found = expected_draws(draws, before, ratings)
    return [
        DrawShare(key, drawn, expected, drawn / could if could else 0.0, expected / could if could else 0.0)
        for key, (drawn, could, expected) in sorted(found.items())
    ]


@dataclass(frozen=True, slots=True)
class PublicShares:
    """The shares over draws that nobody judges blind any more, and when they were worked out."""

    at: datetime
    shares: tuple[DrawShare, ...]


def public_shares() -> PublicShares | None:
    """What the last night found, since it reads every battle; None before the first night."""
    latest = JournalEntry.objects.filter(subject=WATCHED, detail__has_key="public").order_by("-at").first()
    if latest is None:
        return None
    return PublicShares(latest.at, tuple(DrawShare(**share) for share in latest.detail["public"]))


def _pool(agents: Iterable[Agent], at: datetime) -> tuple[str, ...]:
    """Who could be drawn for a person's task at an instant, by the rule of :func:`battles.draws.drawable_agents`."""
    there = [agent for agent in agents if agent.created_at <= at and agent.races(at)]
    models = [agent.key for agent in there if agent.kind == Agent.Kind.MODEL]
    return tuple(sorted(models if len(models) >= 2 else [agent.key for agent in there]))
