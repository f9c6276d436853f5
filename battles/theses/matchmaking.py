"""Beliefs about the draw, and about the operator's own agents in it."""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable
from datetime import UTC, datetime

from battles.matchmaking import INFO_FLOOR, UNIFORM_FLOOR, Match, Randomness, Standing
from battles.models import Agent
from governance.asking import Planted, given
from governance.theses import Cited, CodeMutation, Section, Thesis, thesis

DRAW = "battles/matchmaking.py"


class Grid:
    """Chance that takes the values given, one after the other."""

    def __init__(self, *values: float) -> None:
        self._values = iter(values)

    def random(self) -> float:
        return next(self._values)


def _standing(*battles: int, ratings: dict[str, float] | None = None) -> Standing:
    agents = "abcdef"[: len(battles)]
    return Standing(
        agents=tuple(agents), battles=dict(zip(agents, battles, strict=True)), meetings={}, ratings=ratings or {}
    )


def _uses_itself_up(ordered: Callable[[Standing], dict[str, dict[str, float]]]) -> bool:
    """Anchors are drawn as the formula says, and all alike once all have raced alike."""

    def anchors(*battles: int) -> list[float]:
        return [math.fsum(row.values()) for row in ordered(_standing(*battles)).values()]

    wanted = [1 / math.sqrt(battles + 4) for battles in (0, 12, 96)]
    found = [(share - UNIFORM_FLOOR / 3) / (1 - UNIFORM_FLOOR) for share in anchors(0, 12, 96)]
    right = all(math.isclose(one, want / math.fsum(wanted)) for one, want in zip(found, wanted, strict=True))
    return right and len({round(share, 12) for share in anchors(50, 50, 50)}) == 1


def _evenly(standing: Standing) -> dict[str, dict[str, float]]:
    """A draw that does not care who has raced how often."""
    share = 1 / (len(standing.agents) * (len(standing.agents) - 1))
    return {one: {other: share for other in standing.agents if other != one} for one in standing.agents}


thesis(
    Thesis(
        section=Section.MATCHMAKING,
        key="draw-weight-uses-itself-up",
        belief="A newcomer is drawn more often only because it has raced less, and that uses itself up.",
        why="A constant for one agent would be a favour that never ends.",
        mechanism="The weight is the inverse root of an agent's battles plus {prior}, for everybody.",
        cites=Cited("battles.matchmaking", "ordered_probabilities"),
        figures={"prior": Cited("battles.matchmaking", "PRIOR_BATTLES")},
        predicate=_uses_itself_up,
        broken=_evenly,
        mutations=(
            CodeMutation(
                "the weight by battles",
                DRAW,
                "    return 1 / math.sqrt(battles + PRIOR_BATTLES)\n",
                "    return 1.0\n",
                red=("verify_claims", "verify_fairness"),
            ),
        ),
    )
)


def _reaches_all(pairs: Callable[[Standing], dict[tuple[str, str], float]]) -> bool:
    """Even the best measured and most lopsided pair keeps the uniform share, and shares add to one."""
    found = pairs(_standing(10**9, 10**9, 0, 0, ratings={"a": 9000.0, "b": -9000.0}))
    return min(found.values()) >= UNIFORM_FLOOR / len(found) and math.isclose(math.fsum(found.values()), 1)


def _starves(standing: Standing) -> dict[tuple[str, str], float]:
    """A draw that has seen enough of some."""
    return {("a", "b"): 0.0, ("a", "c"): 0.5, ("b", "c"): 0.5}


thesis(
    Thesis(
        section=Section.MATCHMAKING,
        key="no-pair-sampled-to-zero",
        belief="Every pair can always be drawn: {floor:.0%} of the draws ignore every weight.",
        why="A pair that stops meeting can no longer prove the order wrong.",
        mechanism="The uniform share is part of every probability, and the probability is stored with the battle.",
        cites=Cited("battles.matchmaking", "pair_probabilities"),
        figures={"floor": Cited("battles.matchmaking", "UNIFORM_FLOOR")},
        predicate=_reaches_all,
        broken=_starves,
        mutations=(
            CodeMutation(
                "the uniform share",
                DRAW,
                "    uniform = UNIFORM_FLOOR / (len(agents) * (len(agents) - 1))\n",
                "    uniform = 0.0\n",
                red=("verify_claims", "verify_fairness"),
            ),
        ),
    )
)


def _keeps_lopsided(information: Callable[[float | None, float | None], float]) -> bool:
    return (information(9000.0, 0.0), information(1000.0, 1000.0), information(None, 0.0)) == (INFO_FLOOR, 1.0, 1.0)


thesis(
    Thesis(
        section=Section.MATCHMAKING,
        key="the-strong-meet-the-weak",
        belief="A lopsided pair keeps {floor:.0%} of its weight, so the strong still meet the weak.",
        why="Upsets are evidence, and close pairs alone do not tie a board together.",
        mechanism="What a pair could teach is never counted lower than that.",
        cites=Cited("battles.matchmaking", "information"),
        figures={"floor": Cited("battles.matchmaking", "INFO_FLOOR")},
        predicate=_keeps_lopsided,
        broken=lambda one, other: 0.0 if one != other and None not in (one, other) else 1.0,
        mutations=(
            CodeMutation(
                "the floor of lopsided pairs",
                DRAW,
                "    return max(INFO_FLOOR, 4 * win * (1 - win))\n",
                "    return 4 * win * (1 - win)\n",
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.MATCHMAKING,
        key="no-caller-input",
        belief="Nobody who posts a task can lean on which agents race it.",
        why="Whoever chooses the match chooses the result.",
        mechanism="The function that draws a live battle takes nothing; the check of fairness looks at it again.",
        cites=Cited("battles.draws", "pick_battle_pair"),
        predicate=lambda draw: not inspect.signature(draw).parameters,
        broken=lambda favourite=None: None,
        mutations=(
            CodeMutation(
                "that the draw takes nothing",
                "battles/draws.py",
                "def pick_battle_pair() -> Match:\n",
                "def pick_battle_pair(favourite: str = '') -> Match:\n",
                red=("verify_claims", "verify_fairness"),
            ),
        ),
    )
)


def _slots_apart(select: Callable[[Standing, Randomness], Match]) -> bool:
    """Of the numbers that chance gives, the last alone decides the slots, and decides nothing else."""
    standing = _standing(3, 30, 300, ratings={"a": 1200.0, "b": 900.0})
    for first in (0.1, 0.5, 0.9):
        low = select(standing, Grid(first, 0.4, 0.1))
        high = select(standing, Grid(first, 0.4, 0.9))
        if (low.slot_a, low.slot_b) != (high.slot_b, high.slot_a):
            return False
    return True


thesis(
    Thesis(
        section=Section.MATCHMAKING,
        key="slots-drawn-apart",
        belief="Who runs in slot A is drawn by itself, whoever the pair is.",
        why="Judges lean to one side; an agent that sat there more often would gain.",
        mechanism="A draw of its own turns the pair, after the pair is drawn.",
        cites=Cited("battles.matchmaking", "select_match"),
        predicate=_slots_apart,
        broken=lambda standing, rng: Match("a", "b", 1.0),
        mutations=(
            CodeMutation(
                "the draw of slots",
                DRAW,
                "    slot_a, slot_b = (anchor, opponent) if rng.random() < 0.5 else (opponent, anchor)\n",
                "    slot_a, slot_b = sorted((anchor, opponent))\n",
                red=("verify_claims", "verify_fairness"),
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.MATCHMAKING,
        key="draws-cannot-be-predicted",
        belief="No draw can be predicted or repeated, by the operator no more than by anybody else.",
        why="A seed that somebody knows is a favour in waiting.",
        mechanism="Live draws use the random source of the operating system, which has no seed.",
        cites=Cited("battles.draws", "SYSTEM_CHANCE"),
        predicate=lambda chance: isinstance(chance, random.SystemRandom),
        broken=random.Random(1),  # noqa: S311  # it is the wrong one on purpose
        mutations=(
            CodeMutation(
                "the system's random source",
                "battles/draws.py",
                "SYSTEM_CHANCE = random.SystemRandom()\n",
                "SYSTEM_CHANCE = random.Random(1)\n",
            ),
        ),
    )
)


def _passes_over_own(drawable: Callable[[], list[str]]) -> bool:
    """Of a planted roster, neither the operator's own agent nor a retired one is drawn."""
    roster = [
        {"key": key, "retired_at": retired_at, "affiliated_from": own_from, "kind": Agent.Kind.MODEL}
        for key, retired_at, own_from in (
            ("theirs", None, None),
            ("others", None, None),
            ("own", None, datetime(2000, 1, 1, tzinfo=UTC)),
            ("gone", datetime(2000, 1, 1, tzinfo=UTC), None),
        )
    ]
    return sorted(given(drawable, Agent=Planted(Agent, roster))()) == ["others", "theirs"]


def _draws_anybody() -> list[str]:
    """A draw that looks at no mark."""
    return list(Agent.objects.filter().values_list("key", flat=True))


thesis(
    Thesis(
        section=Section.CONFLICT_OF_INTEREST,
        key="own-agent-not-drawn",
        belief="An agent in which the operator has a stake is never drawn.",
        why="Whoever owns the ring must not fight in it.",
        mechanism="The draw reads the roster without the agents that are marked so.",
        cites=Cited("battles.draws", "drawable_agents"),
        predicate=_passes_over_own,
        broken=_draws_anybody,
        mutations=(
            CodeMutation(
                "that the operator's own agents are not drawn",
                "battles/draws.py",
                "    active = there.exclude(affiliated_from__lte=now)\n",
                "    active = there\n",
            ),
        ),
    )
)
