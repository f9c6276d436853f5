"""What an operator's decision would do to the ranks: both corpora are read and fitted, and nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.db import transaction
from django.utils import timezone

from battles.models import Agent, AgentMerge, Battle
from governance.models import Judge
from judging.models import Exclusion, HeldLabel, TrustChange, Vote
from judging.trust import State, trust_state
from ratings.corpus import read_corpus
from ratings.headline import AgentRating, HeadlineFit, fit_headline
from ratings.models import Board
from ratings.rated_corpus import Corpus
from ratings.refit import write_no_corpus
from ratings.variants import rated_votes

#: Stands on rows that are undone at once.
REHEARSAL = "system:rehearsal"


@dataclass(frozen=True, slots=True)
class AgentEffect:
    """One agent before and after. Points to a tenth; None where there is no number."""

    name: str
    rank_before: str
    rank_after: str
    rating_before: float | None
    rating_after: float | None

    @property
    def moved(self) -> bool:
        return (self.rank_before, self.rating_before) != (self.rank_after, self.rating_after)


@dataclass(frozen=True, slots=True)
class BoardEffect:
    """What would change on one board.

    Attributes:
        title: of the board.
        labels_before, labels_after: that rate.
        agents: those whose numbers would change, by their order now.
        largest_move: in points, of the agents that have a number before and after; 0 where there is none.
        ranks_change: how many agents would get another range of ranks.
    """

    title: str
    labels_before: int
    labels_after: int
    agents: tuple[AgentEffect, ...]
    largest_move: float
    ranks_change: int

    @classmethod
    def read(cls, document: dict[str, Any]) -> Self:
        """The effect that ``dataclasses.asdict`` wrote."""
        return cls(**{**document, "agents": tuple(AgentEffect(**agent) for agent in document["agents"])})


@dataclass(frozen=True, slots=True)
class Effects:
    """What would change.

    Attributes:
        boards: those with rated labels, now or then, on which something would.
        as_of: when both corpora of each board were read.
        corpora: by board, the digest of the corpus as it is.
    """

    boards: list[BoardEffect]
    as_of: datetime
    corpora: dict[str, str]


def effect_of_exclusions(battles: Collection[Battle], votes: Collection[Vote]) -> Effects:
    """The effect of leaving these out on each board."""

    def leave_out(as_of: datetime) -> None:
        options = {"excluded": True, "reason": "what would be", "actor": REHEARSAL, "at": as_of}
        Exclusion.objects.bulk_create(
            [
                *(Exclusion(battle=battle, **options) for battle in battles),
                *(Exclusion(vote=vote, **options) for vote in votes),
            ]
        )

    return _effects_of(leave_out)


def effect_of_release(held: Collection[HeldLabel]) -> Effects:
    """The effect on each board of releasing those of these holds that nobody has decided."""

    def release(as_of: datetime) -> None:
        waiting = HeldLabel.objects.filter(pk__in=[hold.pk for hold in held], decision="")
        waiting.update(
            decision=HeldLabel.Decision.RELEASED,
            decided_by=REHEARSAL,
            decided_reason="what would be",
            decided_at=as_of,
        )

    return _effects_of(release)


def effect_of_merge(agent: Agent, into: Agent) -> Effects:
    """The effect of joining an agent into the row of another one on each board."""

    def join(as_of: datetime) -> None:
        AgentMerge.objects.create(agent=agent, into=into, holds=True, reason="what would be", at=as_of)

    return _effects_of(join)


def effect_of_trust(judges: Collection[Judge], state: State) -> Effects:
    """The effect of giving judges a state of trust on each board."""

    def give(as_of: datetime) -> None:
        options = {"state": state, "reason": "what would be", "actor": REHEARSAL, "at": as_of}
        TrustChange.objects.bulk_create(
            TrustChange(judge=judge, before=trust_state(judge), **options) for judge in judges
        )

    return _effects_of(give)


def _effects_of(decide: Callable[[datetime], None]) -> Effects:
    """Takes as long as reading and fitting each board twice.

    Both corpora are read as of one instant, so that what people do meanwhile makes no difference between them.
    """
    as_of = timezone.now()
    before = {board: read_corpus(board, at=as_of) for board in Board}
    after = _decided(decide, as_of)
    names = dict(Agent.objects.values_list("pk", "name"))
    boards = [
        _effect(board, before[board], after[board], names)
        for board in Board
        if (before[board].rated.any() or after[board].rated.any()) and before[board].digest != after[board].digest
    ]
    return Effects(boards, as_of, {board.value: corpus.digest for board, corpus in before.items()})


def _decided(decide: Callable[[datetime], None], as_of: datetime) -> dict[Board, Corpus]:
    """The corpora as the statements would read them: the rows are written, read and undone."""
    with transaction.atomic():
        # Undone, it is no change that a refit has to wait for.
        write_no_corpus()
        decide(as_of)
        read = {board: read_corpus(board, at=as_of) for board in Board}
        transaction.set_rollback(True)
    return read


def _effect(board: Board, before: Corpus, after: Corpus, names: dict[str, str]) -> BoardEffect:
    one, other = _fit(before), _fit(after)
    now = {row.agent: row for row in one.agents} if one else {}
    then = {row.agent: row for row in other.agents} if other else {}
    # On a board that nothing rates, agents have their numbers only then.
    order = _in_order(now or then)
    agents = [_agent_effect(names.get(key, key), now.get(key), then.get(key)) for key in order]
    moves = [
        abs(agent.rating_after - agent.rating_before)
        for agent in agents
        if agent.rating_before is not None and agent.rating_after is not None
    ]
    return BoardEffect(
        title=Board(board).label,
        labels_before=int(before.rated.sum()),
        labels_after=int(after.rated.sum()),
        agents=tuple(agent for agent in agents if agent.moved),
        largest_move=round(max(moves, default=0.0), 1),
        ranks_change=sum(agent.rank_before != agent.rank_after for agent in agents),
    )


def _fit(corpus: Corpus) -> HeadlineFit | None:
    return fit_headline(rated_votes(corpus), corpus.agents) if corpus.rated.any() else None


def _in_order(now: dict[str, AgentRating]) -> list[str]:
    def place(key: str) -> tuple[bool, float, str]:
        rating = now[key].rating
        return rating is None, -(rating or 0.0), key

    return sorted(now, key=place)


def _agent_effect(name: str, before: AgentRating | None, after: AgentRating | None) -> AgentEffect:
    return AgentEffect(name, _rank(before), _rank(after), _points(before), _points(after))


def _rank(row: AgentRating | None) -> str:
    if row is None or row.rank_best is None or row.rank_worst is None:
        return "none"
    return str(row.rank_best) if row.rank_best == row.rank_worst else f"{row.rank_best} to {row.rank_worst}"


def _points(row: AgentRating | None) -> float | None:
    return None if row is None or row.rating is None else round(row.rating, 1)
