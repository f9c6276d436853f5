"""Votes in a database that make a publication."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from battles.models import Agent, Battle, Lane
from governance.models import Judge
from judging.models import Vote
from ratings.models import Board, Publication, Refit
from ratings.refit import refit
from tests.battles.factories import make_agent, make_battle, make_judge, race


def make_pair(*keys: str) -> tuple[Agent, ...]:
    """Baselines of these names."""
    return tuple(make_agent(key, kind=Agent.Kind.BASELINE) for key in keys or ("ada", "bob"))


def judged(agents: Sequence[Agent], choice: str, *, judge: Judge | None = None, battle: Battle | None = None) -> Vote:
    """One locked vote on a practice battle. ``choice`` is an agent's key, tie or both_bad."""
    battle = battle or race(make_battle(kind=Battle.Kind.PRACTICE, agents=agents))
    judge = judge or make_judge()
    winner = Lane.objects.filter(attempt__battle=battle, agent=choice).first()
    return Vote.objects.create(
        battle=battle,
        judge=judge,
        receipt=judge.receipts.get(),
        choice="lane" if winner else choice,
        winner=winner,
        by_submitter=False,
        locked_at=timezone.now(),
    )


def published(agents: Sequence[Agent], choices: str = "aabab") -> Publication:
    """A publication of so many votes, each by somebody else; the letters are the agents' first."""
    for letter in choices:
        judged(agents, next(agent.key for agent in agents if agent.key.startswith(letter)))
    run = refit(board=Board.DEMO, actor="system:test")
    assert run.outcome == Refit.Outcome.PUBLISHED, run.reason
    assert run.publication is not None
    return run.publication
