"""The pages on which a reader can try a method: what each asks, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ratings.inference.intervals import t_quantile
from ratings.inference.planning import THIRD_PARTY_FACTOR
from ratings.inference.status import POWER, SETTLING_BATTLES, SIGNIFICANCE
from ratings.methods.drawings import (
    CURVE_STEPS,
    CYCLE_SCALE,
    ELO_SCALE,
    ERRORS_SCALE,
    MARGIN,
    POINTS_SCALE,
    THINNEST,
    VOTES_SCALE,
    WIDENING,
    best_dots,
    cycle_lines,
    cycle_marks,
    elo_bands,
    interval_bands,
    plan_curve,
    plan_spot,
)
from ratings.methods.facts import AGENTS_AT_ONCE, CYCLE_WIN, LOPSIDED_SHARE, VARIANTS
from ratings.methods.figures import (
    HIGHEST_SEED,
    ORDERS,
    TRUE_RATINGS,
    VOTES,
    VOTES_STREAM,
    best_of,
    centred_correlation,
    cycle,
    replay_elo,
    two_ratings,
)
from ratings.methods.inputs import Choice, Field, Number, Unreadable
from ratings.methods.plan import DETECT, HALFWIDTH, ROUND_ROBIN, ROUND_ROBIN_FACTOR, ROUND_ROBIN_PAIRS, plan, reach
from ratings.methods.plan import FIELDS as PLAN_FIELDS

#: Below this a p-value is only said to be below it.
LEAST_P = 0.001
#: A gap in points that is written as none.
LEVEL = 0.5
#: Overlapping, and yet the gap is settled.
SETTLED_EXAMPLE = "one=1825&one_lower=1808&one_upper=1842&other=1797&other_lower=1781&other_upper=1813"

Asked = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a page shows for what was asked.

    Attributes:
        numbers: value and digits by the name under which the script replaces them.
        context: what else the template needs.
        rows: of a table: for every column the name of a number, or words.
    """

    numbers: Mapping[str, tuple[float, int]]
    context: Mapping[str, Any]
    rows: Sequence[Mapping[str, str]] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class TryPage:
    """A page to try.

    Attributes:
        name: of its address.
        title: for people.
        template: that shows it.
        fields: what it asks.
        scripts: its own script, after those that it stands on.
        answer: the answer to what was asked; raises :class:`Unreadable` where values do not go together.
    """

    name: str
    title: str
    template: str
    fields: tuple[Field, ...]
    scripts: tuple[str, ...]
    answer: Callable[[Asked], Answer]


def _elo(asked: Asked) -> Answer:
    replay = replay_elo(int(asked["k"]), votes_seed=asked["votes"], orders_seed=asked["orders"])
    numbers: dict[str, tuple[float, int]] = {"in-order": (replay.in_true_order, 0)}
    rows = []
    for model, truth in enumerate(TRUE_RATINGS):
        columns = {
            "truth": truth,
            "mean": replay.mean[model],
            "spread": replay.spread[model],
            "lowest": replay.finals[:, model].min(),
            "highest": replay.finals[:, model].max(),
            "fit": replay.fit[model],
            "lower": replay.lower[model],
            "upper": replay.upper[model],
        }
        numbers |= {f"{name}-{model}": (float(value), int(name == "spread")) for name, value in columns.items()}
        rows.append({"name": f"Model {model + 1}"} | {name: f"{name}-{model}" for name in columns})
    context = {
        "scale": ELO_SCALE,
        "bands": elo_bands(replay),
        "votes": VOTES,
        "orders": ORDERS,
        "stream": VOTES_STREAM,
        "truths": TRUE_RATINGS,
        "reach": repr(t_quantile(math.inf)),
    }
    return Answer(numbers, context, rows)


def _planner(asked: Asked) -> Answer:
    goal, points, ties = asked["goal"], asked["points"], asked["ties"]
    found = plan(goal, points, ties)
    numbers: dict[str, tuple[float, int]] = {
        "head-to-head": (found.head_to_head, 0),
        "newcomer": (found.newcomer, 0),
        "pool": (found.pool, 0),
        "round-robin": (found.round_robin, 0),
        "each-pair": (found.each_pair, 0),
        "half": (plan(goal, points / 2, ties).head_to_head, 0),
        "points": (points, 0),
        "double": (plan(goal, 2 * points, ties).head_to_head, 0),
        "ties-factor": (1 / (1 - found.tie_share), 2),
    }
    context = {
        "plan": found,
        "goal": goal,
        "reaches": {"gap": repr(reach(DETECT)), "width": repr(reach(HALFWIDTH))},
        "power": 100 * POWER,
        "significance": 100 * SIGNIFICANCE,
        "fewest": SETTLING_BATTLES,
        "others": THIRD_PARTY_FACTOR,
        "agents": ROUND_ROBIN,
        "factor": ROUND_ROBIN_FACTOR,
        "pairs": ROUND_ROBIN_PAIRS,
        "curve": plan_curve(goal, ties),
        "steps": CURVE_STEPS,
        "spot": plan_spot(points, found.head_to_head),
        "x_scale": POINTS_SCALE,
        "y_scale": VOTES_SCALE,
    }
    return Answer(numbers, context)


def _best_of(asked: Asked) -> Answer:
    found = best_of(asked["k"], asked["error"], seed=asked["seed"])
    numbers: dict[str, tuple[float, int]] = {
        "k": (asked["k"], 0),
        "in-errors": (found.in_errors, 2),
        "inflation": (found.inflation, 1),
        "best": (found.best, 1),
    }
    rows = []
    for tries, in_errors, points in found.usual:
        numbers |= {f"errors-{tries}": (in_errors, 2), f"points-{tries}": (points, 1)}
        rows.append({"tries": str(tries), "in_errors": f"errors-{tries}", "points": f"points-{tries}"})
    dots = best_dots(found.measured / asked["error"])
    context = {
        "usual": [tries for tries, *_ in found.usual],
        "scale": ERRORS_SCALE,
        "dots": dots,
        "best_dot": dots[int(found.measured.argmax())],
        "expected_at": ERRORS_SCALE.percent(found.in_errors),
        "variants": VARIANTS,
    }
    return Answer(numbers, context, rows)


def _schedule(asked: Asked) -> Answer:
    found = cycle(asked["share"] / 100, asked["win"] / 100)
    numbers: dict[str, tuple[float, int]] = {
        "share": (asked["share"], 1),
        "win": (asked["win"], 0),
        "gap": (found.gap, 0),
    }
    for place, name in enumerate("abc"):
        numbers[f"fitted-{name}"] = (float(found.fitted[place]), 0)
        numbers[f"adjusted-{name}"] = (float(found.adjusted[place]), 0)
    for share, name in zip(found.shares, ("ab", "bc", "ca"), strict=True):
        numbers[f"share-{name}"] = (100 * share, 1)
    context = {
        "scale": CYCLE_SCALE,
        "lines": cycle_lines(found.shares),
        "marks": cycle_marks(found),
        "thinnest": THINNEST,
        "widening": WIDENING,
        "ordered": abs(found.gap) >= LEVEL,
    }
    return Answer(numbers, context)


def _overlap(asked: Asked) -> Answer:
    ends = [(asked[f"{side}_lower"], asked[f"{side}_upper"]) for side in ("one", "other")]
    for side, (lower, upper) in zip(("one", "other"), ends, strict=True):
        if not lower < upper or not lower <= asked[side] <= upper:
            raise Unreadable("A rating lies inside its interval, which goes from its lower to its upper end.")
    found = two_ratings(asked["one"], ends[0], asked["other"], ends[1], asked["correlation"])
    numbers: dict[str, tuple[float, int]] = {
        "error-one": (found.errors[0], 2),
        "error-other": (found.errors[1], 2),
        "gap": (found.gap, 1),
        "error": (found.error, 2),
        "z": (found.statistic, 2),
        "p": (found.p_value, 3),
        "lower": (found.lower, 1),
        "upper": (found.upper, 1),
        "correlation": (asked["correlation"], 2),
    }
    context = {
        "settled": found.settled,
        "overlapping": found.overlapping,
        "tiny": found.p_value < LEAST_P,
        "least_p": LEAST_P,
        "reach": repr(t_quantile(math.inf)),
        "width": 2 * t_quantile(math.inf),
        "margin": MARGIN,
        "drawn": interval_bands(asked, found),
        "centred": centred_correlation(ROUND_ROBIN),
        "agents": ROUND_ROBIN,
        "at_once_agents": AGENTS_AT_ONCE,
        "example": SETTLED_EXAMPLE,
    }
    return Answer(numbers, context)


ELO = TryPage(
    name="methods_elo",
    title="Elo in another order",
    template="methods/elo.html",
    fields=(
        Choice("k", "K, the step of Elo", (("8", "8"), ("16", "16"), ("32", "32")), default="32"),
        Number("orders", "Seed of the orders", 1, 0, HIGHEST_SEED),
        Number("votes", "Seed of the votes", 1, 0, HIGHEST_SEED),
    ),
    scripts=("draws", "fit", "elo"),
    answer=_elo,
)
PLANNER = TryPage(
    name="methods_planner",
    title="How many votes?",
    template="methods/planner.html",
    fields=PLAN_FIELDS,
    scripts=("planner",),
    answer=_planner,
)
BEST_OF = TryPage(
    name="methods_best_of",
    title="The best of many",
    template="methods/best_of.html",
    fields=(
        Number("k", "Variants tried", VARIANTS, 1, 100, slider=True),
        Number("error", "Standard error of each, in points", 15, 1, 100),
        Number("seed", "Seed of the draw", 1, 0, HIGHEST_SEED),
    ),
    scripts=("draws", "normal", "best-of"),
    answer=_best_of,
)
SCHEDULE = TryPage(
    name="methods_schedule",
    title="The schedule and the cycle",
    template="methods/schedule.html",
    fields=(
        Number("share", "Battles between A and B", 100 * LOPSIDED_SHARE, 5, 90, step=0.1, slider=True),
        Number("win", "Each beats the next in", 100 * CYCLE_WIN, 50, 90, slider=True),
    ),
    scripts=("fit", "schedule"),
    answer=_schedule,
)
OVERLAP = TryPage(
    name="methods_overlap",
    title="Overlap is not a test",
    template="methods/overlap.html",
    fields=(
        Number("one", "Rating", 1820, 0, 4000, step=0.5),
        Number("one_lower", "from", 1803, 0, 4000, step=0.5),
        Number("one_upper", "to", 1837, 0, 4000, step=0.5),
        Number("other", "Rating", 1800, 0, 4000, step=0.5),
        Number("other_lower", "from", 1784, 0, 4000, step=0.5),
        Number("other_upper", "to", 1817, 0, 4000, step=0.5),
        Number("correlation", "Correlation of the two errors", 0, -0.9, 0.9, step=0.05, slider=True),
    ),
    scripts=("normal", "overlap"),
    answer=_overlap,
)
PAGES = (ELO, PLANNER, BEST_OF, SCHEDULE, OVERLAP)
