"""The ticker: running Elo, moved by the final votes of battles that nobody judges blind. Never called the rating."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from battles.models import Agent, Battle
from judging.accounts import is_signed_in
from judging.models import Vote
from judging.visibility import REPEAT_WITHIN, blindness_over
from ratings.estimators.elo_rule import SEED_RATING, ticker_update
from ratings.models import Board, TickerPoint

#: For so long after its lock a vote is looked at again whose news may have been lost, by a sweep every hour.
NEWS_TOLD_WITHIN = timedelta(hours=3)


def board_of(vote: Vote) -> Board | None:
    """Which board a vote moves, or None when it moves none.

    The headline's is for people's tasks raced by two models and judged by somebody with an account, as in the rated
    corpus; what a browser without an account gave before it signed in is not moved over.
    """
    battle = vote.battle
    affiliated = battle.agent_a.is_affiliated() or battle.agent_b.is_affiliated()
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
    """Move agents by all final votes of this vote's battle, once nobody judges it blind any more.

    The ticker is public: moved at every lock it would tell the judges of the other seats who raced. A vote that has
    moved it already moves it no more.
    """
    battle = Battle.objects.select_related("agent_a", "agent_b").get(votes=vote_id)
    if not blindness_over(battle):
        return []
    agents = sorted([battle.agent_a, battle.agent_b], key=lambda agent: agent.pk)
    # Locked in one order by everybody, so two votes of one pair wait for each other instead of for ever.
    for agent in agents:
        type(agent).objects.select_for_update(no_key=True).get(pk=agent.pk)
    moved = TickerPoint.objects.filter(battle=battle).values("vote_id")
    final = battle.votes.filter(locked_at__isnull=False, withdrawn_at__isnull=True).exclude(pk__in=moved)
    waiting = final.select_related("battle__agent_a", "battle__agent_b", "judge", "winner")
    return [point for vote in waiting.order_by("locked_at", "pk") for point in _move(vote, agents)]


def _move(vote: Vote, agents: list[Agent]) -> list[TickerPoint]:
    board = board_of(vote)
    if board is None:
        return []
    one, other = agents
    (points_one, battles_one), (points_other, battles_other) = _latest(board, one.pk), _latest(board, other.pk)
    score = 0.5 if vote.winner is None else float(vote.winner.agent_id == one.pk)
    after_one, after_other = ticker_update(points_one, points_other, battles_one, battles_other, score)
    points = [
        TickerPoint(
            board=board,
            agent=agent,
            battle=vote.battle,
            vote_id=vote.pk,
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


def move_waiting_tickers() -> int:
    """Move agents by votes that no lock moved them by; returns how many did.

    A second look is settled without a lock, too: by skipping it, and by time. And whoever locked a vote may have been
    killed before its news was told.
    """
    now = timezone.now()
    since = now - 2 * REPEAT_WITHIN
    waiting = (
        Vote.objects.filter(locked_at__gte=since, withdrawn_at__isnull=True)
        .filter(
            Q(battle__assignments__comes_back=True, battle__state=Battle.State.CLOSED)
            | Q(locked_at__gte=now - NEWS_TOLD_WITHIN)
        )
        .exclude(pk__in=TickerPoint.objects.filter(at__gte=since).values("vote_id"))
    )
    return sum(len(move_ticker(vote_id=vote)) // 2 for vote in waiting.values_list("pk", flat=True).distinct())


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
