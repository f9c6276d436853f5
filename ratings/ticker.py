"""The ticker: running Elo, moved by every locked vote. Never called the rating."""

from __future__ import annotations

import uuid

from django.db import transaction

from battles.models import Agent, Battle
from judging.accounts import is_signed_in
from judging.models import Vote
from ratings.estimators.elo_rule import SEED_RATING, ticker_update
from ratings.models import Board, TickerPoint


def board_of(vote: Vote) -> Board | None:
    """Which board a vote moves, or None when it moves none.

    The headline's is for people's tasks raced by two models and judged by somebody with an account, as in the rated
    corpus; what a browser without an account gave before it signed in is not moved over.
    """
    battle = vote.battle
    affiliated = battle.agent_a.operator_affiliated or battle.agent_b.operator_affiliated
    if affiliated or battle.leak_scan != Battle.Leak.CLEAN:
        return None
    if battle.kind not in {Battle.Kind.LIVE, Battle.Kind.PRACTICE}:
        return None
    models = battle.agent_a.kind == battle.agent_b.kind == Agent.Kind.MODEL
    if battle.kind == Battle.Kind.LIVE and models and is_signed_in(vote.judge):
        return Board.HEADLINE
    return Board.DEMO


@transaction.atomic
def move_ticker(*, vote_id: uuid.UUID) -> list[TickerPoint]:
    """Move both agents by one locked vote; a vote that has moved them already moves them no more."""
    vote = Vote.objects.select_related("battle__agent_a", "battle__agent_b", "judge", "winner").get(pk=vote_id)
    battle = vote.battle
    board = board_of(vote)
    if board is None or vote.locked_at is None:
        return []
    agents = sorted([battle.agent_a, battle.agent_b], key=lambda agent: agent.pk)
    # Locked in one order by everybody, so two votes of one pair wait for each other instead of for ever.
    for agent in agents:
        type(agent).objects.select_for_update(no_key=True).get(pk=agent.pk)
    if TickerPoint.objects.filter(vote_id=vote_id).exists():
        return []
    one, other = agents
    (points_one, battles_one), (points_other, battles_other) = _latest(board, one.pk), _latest(board, other.pk)
    score = 0.5 if vote.winner is None else float(vote.winner.agent_id == one.pk)
    after_one, after_other = ticker_update(points_one, points_other, battles_one, battles_other, score)
    points = [
        TickerPoint(
            board=board,
            agent=agent,
            battle=battle,
            vote_id=vote_id,
            before=before,
            after=after,
            battles_before=battles,
        )
        for agent, before, after, battles in (
            (one, points_one, after_one, battles_one),
            (other, points_other, after_other, battles_other),
        )
    ]
    return TickerPoint.objects.bulk_create(points)


def _latest(board: Board, agent_key: str) -> tuple[float, int]:
    """Points and number of battles so far."""
    last = TickerPoint.objects.filter(board=board, agent_id=agent_key).order_by("-id").first()
    if last is None:
        return SEED_RATING, 0
    return last.after, TickerPoint.objects.filter(board=board, agent_id=agent_key).values("battle").distinct().count()


def points_of_vote(vote_id: uuid.UUID) -> dict[str, tuple[float, float]]:
    """Points before and after one vote, by agent key; empty while it has not moved the ticker."""
    moved = TickerPoint.objects.filter(vote_id=vote_id).values_list("agent_id", "before", "after")
    return {agent: (before, after) for agent, before, after in moved}


def ticker_rows(board: Board) -> list[tuple[str, float, float]]:
    """Agent key, points, and last change, best first."""
    latest = TickerPoint.objects.filter(board=board).order_by("agent_id", "-id").distinct("agent_id")
    rows = [(point.agent_id, point.after, point.after - point.before) for point in latest]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
