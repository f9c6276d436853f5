"""Whether the draw keeps its promises: simulated with seeds, tested with exact and chi-square tests."""

from __future__ import annotations

import inspect
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from scipy import stats

from battles.matchmaking import UNIFORM_FLOOR, Match, Randomness, Standing, pair_of, pair_probabilities, select_match

#: A right draw fails a test at this level once in ten thousand runs; a wrong one fails it always.
SIGNIFICANCE = 1e-4
#: A newcomer's count must come this close to the mean of the others.
CONVERGED_WITHIN = 0.15

Draw = Callable[[Standing, Randomness], Match]


@dataclass(frozen=True, slots=True)
class Finding:
    """One promise, whether it was kept, and the number that says so."""

    promise: str
    kept: bool
    evidence: str


def check_takes_nothing(function: Callable[..., object]) -> Finding:
    """The function that draws a live battle takes no argument, so nobody can lean on it."""
    parameters = list(inspect.signature(function).parameters)
    return Finding("the draw takes no caller input", not parameters, f"parameters: {parameters or 'none'}")


def example_standing() -> Standing:
    """Six agents, unevenly measured and rated, one of them new and two that never met."""
    agents = ("a", "b", "c", "d", "e", "f")
    battles = dict(zip(agents, (400, 250, 100, 60, 12, 0), strict=True))
    ratings = dict(zip(agents[:5], (1600.0, 1150.0, 1000.0, 940.0, 700.0), strict=True))
    meetings = {("a", "b"): 80, ("a", "c"): 40, ("b", "c"): 30, ("c", "d"): 10}
    return Standing(agents=agents, battles=battles, meetings=meetings, ratings=ratings)


def check_stored_probabilities(draw: Draw = select_match, *, draws: int = 40_000, seed: int = 1) -> Finding:
    """The probability stored with a match is the frequency with which its pair is drawn (chi-square)."""
    standing = example_standing()
    rng = random.Random(seed)  # noqa: S311  # a simulation must be repeatable; live draws use the system's CSPRNG
    seen: Counter[tuple[str, str]] = Counter()
    stored: dict[tuple[str, str], float] = {}
    for _ in range(draws):
        match = draw(standing, rng)
        pair = pair_of(match.slot_a, match.slot_b)
        seen[pair] += 1
        stored[pair] = match.pair_probability
    pairs = list(pair_probabilities(standing))
    missing = [pair for pair in pairs if pair not in stored]
    if missing or not math.isclose(math.fsum(stored.values()), 1.0, abs_tol=1e-9):
        return Finding("stored probabilities match frequencies", False, f"{len(missing)} pairs never drawn")
    test = stats.chisquare([seen[pair] for pair in pairs], [draws * stored[pair] for pair in pairs])
    return Finding(
        "stored probabilities match frequencies", bool(test.pvalue > SIGNIFICANCE), f"chi-square p = {test.pvalue:.4f}"
    )


def check_every_pair_is_reached(standing: Standing | None = None) -> Finding:
    """No pair falls under the uniform floor, however lopsided or well measured it is."""
    from_mixture = pair_probabilities(standing or example_standing())
    floor = UNIFORM_FLOOR / len(from_mixture)
    lowest = min(from_mixture.values())
    return Finding("every pair can be drawn", lowest >= floor - 1e-12, f"rarest pair: {lowest:.4f}, floor {floor:.4f}")


def check_slots_are_balanced(draw: Draw = select_match, *, draws: int = 20_000, seed: int = 2) -> Finding:
    """Each agent of a pair runs in slot A half of the time (exact binomial test)."""
    standing = Standing(agents=("a", "b"), battles={}, meetings={}, ratings={"a": 1400.0, "b": 1000.0})
    rng = random.Random(seed)  # noqa: S311  # a simulation must be repeatable
    in_a = sum(draw(standing, rng).slot_a == "a" for _ in range(draws))
    p = stats.binomtest(in_a, draws, 0.5).pvalue
    return Finding("slots are balanced", bool(p > SIGNIFICANCE), f"{in_a} of {draws} in slot A, p = {p:.4f}")


def check_newcomers_converge(draw: Draw = select_match, *, battles: int = 3_000, seed: int = 3) -> Finding:
    """A newcomer is drawn more until it has caught up, and then no more than the others."""
    rng = random.Random(seed)  # noqa: S311  # a simulation must be repeatable
    agents = tuple("abcdef")
    counts = dict.fromkeys(agents, 200) | {"f": 0}
    meetings: Counter[tuple[str, str]] = Counter()
    for _ in range(battles):
        match = draw(Standing(agents=agents, battles=counts, meetings=meetings, ratings={}), rng)
        meetings[pair_of(match.slot_a, match.slot_b)] += 1
        counts[match.slot_a] += 1
        counts[match.slot_b] += 1
    others = math.fsum(counts[agent] for agent in agents[:-1]) / (len(agents) - 1)
    share = counts["f"] / others
    return Finding(
        "a newcomer's count converges to the others'",
        abs(share - 1) <= CONVERGED_WITHIN,
        f"{share:.2f} of their mean after {battles} battles",
    )
